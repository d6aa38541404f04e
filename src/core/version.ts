/** Version of this package. `npm version` updates it together with package.json. */
export const version: string = '1.0.0'

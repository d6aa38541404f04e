/** Version of this package, as in package.json. `npm version` keeps them equal. */
export const version: string = '1.0.0'

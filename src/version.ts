declare const __VERSION__: string | undefined

/** The version of this package, put in place by the build. */
export const version: string = typeof __VERSION__ === 'string' ? __VERSION__ : '0.0.0'

import { createRequire } from 'node:module'

/** Loads a driver from this folder's package.json: the drivers are not installed with the package. */
export const driver = createRequire(import.meta.url)

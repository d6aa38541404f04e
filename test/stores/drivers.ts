import { createRequire } from 'node:module'

/** Loads a database driver, which is a dependency of this folder rather than of the project. */
export const driver = createRequire(import.meta.url)

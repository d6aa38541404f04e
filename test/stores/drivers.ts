import { createRequire } from 'node:module'

/** Loads a database driver. The drivers are dependencies of this folder, not of the project. */
export const driver = createRequire(import.meta.url)

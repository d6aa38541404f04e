// Writes dist/: ES modules, CommonJS, the declarations of both, and the licences of what is inlined.
import { rm } from 'node:fs/promises'
import { build } from 'tsup'
import { writeDeclarations } from './declarations.js'
import { inlinedFiles, writeLicenses } from './licenses.js'

await rm('dist', { recursive: true, force: true })
const typeFiles = await writeDeclarations()
await build({ config: true })
await writeLicenses([...typeFiles, ...(await inlinedFiles())])

// Copies the version from package.json to src/core/version.ts. `npm version` runs this script.
import { readFile, writeFile } from 'node:fs/promises'

const { version } = JSON.parse(await readFile('package.json', 'utf8'))
const file = 'src/core/version.ts'
const source = await readFile(file, 'utf8')
await writeFile(file, source.replace(/'[^']*'$/m, `'${version}'`))

// `npm publish` runs this script, which rejects a package.json that still has placeholders for the repository's owner.
import { readFileSync } from 'node:fs'

const { homepage, repository, bugs } = JSON.parse(readFileSync('package.json', 'utf8'))
for (const [field, value] of Object.entries({ homepage, repository, bugs })) {
  if (JSON.stringify(value).includes('OWNER')) throw new Error(`Replace OWNER in the field "${field}" of package.json`)
}

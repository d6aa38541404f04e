/**
 * Generates the OpenAPI 3.1 documents docs/openapi/2021-09-27.json and docs/openapi/2.1.json from the contract.
 *
 * With `--check`, fails if a document is out of date and writes nothing.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { carts, type KnownVersion } from '../src/contract/version.js'
import { openApi } from './openapi/document.js'
import { recordExamples } from './openapi/examples.js'

mkdirSync('docs/openapi', { recursive: true })
for (const version of Object.keys(carts) as KnownVersion[]) {
  const file = `docs/openapi/${version}.json`
  const document = `${JSON.stringify(openApi(version, await recordExamples(version)), null, 2)}\n`
  if (existsSync(file) && readFileSync(file, 'utf8') === document) continue
  if (process.argv.includes('--check')) throw new Error(`${file} is out of date: run \`npm run generate\``)
  writeFileSync(file, document)
}

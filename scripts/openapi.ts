/** Generates the OpenAPI 3.1 documents docs/openapi/2021-09-27.json and docs/openapi/2.1.json from the contract. */
import { mkdirSync } from 'node:fs'
import { carts, type KnownVersion } from '../src/contract/version.js'
import { writeGenerated } from './generated.js'
import { openApi } from './openapi/document.js'
import { recordExamples } from './openapi/examples.js'

mkdirSync('docs/openapi', { recursive: true })
for (const version of Object.keys(carts) as KnownVersion[]) {
  const document = openApi(version, await recordExamples(version))
  writeGenerated(`docs/openapi/${version}.json`, `${JSON.stringify(document, null, 2)}\n`)
}

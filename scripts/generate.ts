/**
 * Writes all generated files: the OpenAPI documents, and the generated parts of the pages in docs/.
 *
 * `npm run generate -- --check` writes nothing and fails if a file is out of date.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { carts, type KnownVersion } from '../src/core/contract/version.js'
import { apiReport } from './docs/api-report.js'
import { faultMatrixPage } from './docs/fault-matrix.js'
import { reference } from './docs/reference.js'
import { controlApiPage, errorsPage, sandboxGuide } from './docs/tables.js'
import { openApi } from './openapi/document.js'

/** For each file, a function that returns its new content from its current content. */
const files: Record<string, (current: string) => string | Promise<string>> = {
  ...Object.fromEntries(
    Object.keys(carts).map((version) => [`docs/openapi/${version}.json`, () => openApi(version as KnownVersion)]),
  ),
  'docs/api-report.md': apiReport,
  'docs/reference/api.md': reference,
  'docs/reference/errors.md': errorsPage,
  'docs/project/fault-matrix.md': faultMatrixPage,
  'docs/guides/sandbox.md': sandboxGuide,
  'docs/reference/control-api.md': controlApiPage,
}

for (const [file, contentOf] of Object.entries(files)) {
  const current = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const content = await contentOf(current)
  if (content === current) continue
  if (process.argv.includes('--check')) throw new Error(`${file} is out of date: run \`npm run generate\``)
  writeFileSync(file, content)
}

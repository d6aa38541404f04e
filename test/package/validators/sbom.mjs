// Validates a bill of materials: `node sbom.mjs <file>`.
import { readFileSync } from 'node:fs'
import { Spec, Validation } from '@cyclonedx/cyclonedx-library'

const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6)
const errors = await validator.validate(readFileSync(process.argv[2], 'utf8'))
if (errors) throw new Error(JSON.stringify(errors, null, 2))

/**
 * Writes all generated files: the generated parts of docs/, docs/project/conformance.md and docs/openapi/.
 *
 * `npm run generate -- --check` writes nothing and fails if a file is out of date.
 */
await import('./docs.js')
await import('./conformance.js')
await import('./openapi.js')

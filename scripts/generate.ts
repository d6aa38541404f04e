/**
 * Writes all generated files: the generated parts of docs/, and docs/project/conformance.md.
 *
 * `npm run generate -- --check` writes nothing and fails if a file is out of date.
 */
await import('./docs.js')
await import('./conformance.js')

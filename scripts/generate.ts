/**
 * Writes all generated files: src/schemas/generated, the generated parts of docs/, and docs/project/conformance.md.
 *
 * `npm run generate -- --check` writes nothing and fails if a file is out of date.
 */
await import('./generate-normalizers.js')
await import('./docs.js')
await import('./conformance.js')

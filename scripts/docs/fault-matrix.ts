import { matrix } from '../../test/faults/matrix.js'

/** Sections by the first letter of their rows' IDs. */
const sections = {
  T: 'Transport',
  U: 'URLs and redirects',
  R: 'Status codes, retries and time',
  I: 'Idempotency',
  C: 'Cancellation and load',
  P: 'Lists',
  V: 'Validation',
  S: 'Secrets',
  W: 'Webhooks',
  N: 'Found in reviews',
}

const intro = `# Fault matrix

This page lists the faults that can occur between your backend and the service, and the client's reaction to each.
\`test/faults/matrix.json\` contains the titles of each row's tests, and \`npm run generate\` creates this page from it.
\`npm run test:faults\` runs the tests, and fails if one of them is missing, skipped or failed.
[Outcomes](../guides/errors.md#outcomes) explains \`not_sent\`, \`rejected\`, \`unknown\` and \`accepted\`.
`

export function faultMatrixPage(): string {
  const tables = Object.entries(sections).map(([letter, title]) => {
    const rows = Object.entries(matrix).filter(([id]) => id.startsWith(letter))
    const lines = rows.map(([id, { fault, reaction, tests }]) => {
      const files = Object.keys(tests).map((file) => `[${file.slice(5)}](../../${file})`)
      return `| ${id} | ${fault} | ${reaction} | ${files.join(', ')} |\n`
    })
    return `\n## ${title}\n\n| ID | Fault | Reaction | Tests |\n|---|---|---|---|\n${lines.join('')}`
  })
  return intro + tables.join('')
}

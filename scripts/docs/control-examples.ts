import { controlExamples } from '../../test/support/control-examples.js'

const introduction = `# Examples of the control API

<!-- Written by npm run generate. -->

This page shows one response of every \`GET\` route of the [control API](control-api.md), except \`events\`.
Strings of more than 100 characters are shortened.
`

/** Returns docs/reference/control-api-examples.md. */
export async function controlExamplesPage(): Promise<string> {
  const sections = (await controlExamples()).map(({ route, summary, response }) => {
    const json = JSON.stringify(response, (_, value) => shortened(value), 2)
    return `\n## GET ${route}\n\n${summary}.\n\n\`\`\`json\n${json}\n\`\`\`\n`
  })
  return introduction + sections.join('')
}

function shortened(value: unknown): unknown {
  return typeof value === 'string' && value.length > 100 ? `${value.slice(0, 100)}…` : value
}

/**
 * Runs a stress test and writes its output as an animated SVG for the landing page: `npx tsx scripts/recording.ts`.
 *
 * The animation takes five seconds. Viewers without animations show the last state.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'

const command = 'npx tsx test/stress/chaos.ts orders --quick --run "pg, replay"'
const lineHeight = 19
const maxLength = 110

/** Lines that each replace the line before, with the time in milliseconds at which they were printed. */
const progress: { text: string; time: number }[] = []
const results: string[] = []
const startedAt = performance.now()

const child = spawn(command, { shell: true, env: { ...process.env, SHOW: '1' }, stdio: ['ignore', 'pipe', 'inherit'] })
child.stdout.setEncoding('utf8').on('data', (output: string) => {
  const time = performance.now() - startedAt
  for (const [, start, line = '', end] of output.matchAll(/(\r?)([^\r\n]+)(\n?)/g)) {
    const text = line.replace('\x1b[K', '').trimEnd()
    if (!start || end) results.push(text)
    else if (text !== progress.at(-1)?.text) progress.push({ text, time })
  }
})
const [code] = await once(child, 'close')
if (code !== 0) throw new Error(`${command} exited with ${code}:\n${results.join('\n')}`)

const last = progress.at(-1)?.time ?? 0
const starts = progress.map(({ time }) => (time / last) * 3.5)
const frames = progress.map(({ text }, index) => {
  const times = `begin="${seconds(starts[index])}" end="${seconds(starts[index + 1] ?? 3.6)}"`
  return textAt(1, text, `<set attributeName="visibility" to="visible" ${times}/>`, ' visibility="hidden"')
})
const rows = results.map((text, index) => {
  const end = seconds(3.6 + (1.4 * index) / results.length)
  return textAt(index + 1, text, `<set attributeName="visibility" to="hidden" begin="0s" end="${end}"/>`)
})
const size = `width="900" height="${(results.length + 2) * lineHeight}"`
const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="monospace" font-size="13" fill="#e6edf3">
<title>Output of ${escaped(command)}</title>
<rect ${size} rx="8" fill="#0d1117"/>
${[textAt(0, `$ ${command}`), ...frames, ...rows].join('\n')}
</svg>
`
writeFileSync('docs/guides/images/kills.svg', svg)

function seconds(time = 0): string {
  return `${time.toFixed(2)}s`
}

function textAt(row: number, text: string, animation = '', attributes = ''): string {
  const shown = text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text
  const position = `x="16" y="${(row + 1.5) * lineHeight}"`
  return `<text ${position} xml:space="preserve"${attributes}>${animation}${escaped(shown)}</text>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

/**
 * Draws an SVG bar chart for each row with a chart title. The bar of this package is coloured. The colours suit light
 * and dark backgrounds.
 */
export function chart(rows) {
  const panels = rows.filter((row) => row.chart).map(panelOf)
  const columns = [0, 1].map((column) => ({ x: margin + column * (columnWidth + gutter), y: margin }))
  const placed = panels.map((panel) => {
    const column = columns[0].y <= columns[1].y ? columns[0] : columns[1]
    const drawn = draw(panel, column)
    column.y += panel.height + gutter
    return drawn
  })
  const width = 2 * margin + 2 * columnWidth + gutter
  const height = Math.max(...columns.map(({ y }) => y)) - gutter + margin
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Benchmarks">
<style>${style}</style>
<rect class="paper" width="${width}" height="${height}" rx="8"/>
${placed.join('\n')}
</svg>
`
}

const margin = 24
const gutter = 32
const columnWidth = 420
const nameWidth = 128
const valueWidth = 56
const barHeight = 14
const barStep = 20
const titleHeight = 26

const style = `
  .paper { fill: #ffffff }
  text { font: 12px system-ui, sans-serif; fill: #57606a }
  .title { font-weight: 600; font-size: 13px; fill: #1f2328 }
  .ours { font-weight: 600; fill: #1f2328 }
  rect { fill: #d0d7de }
  rect.ours { fill: #0969da }
  line { stroke: #8c959f; stroke-dasharray: 2 3 }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 }
    text { fill: #9198a1 }
    .title, .ours { fill: #f0f6fc }
    rect { fill: #3d444d }
    rect.ours { fill: #4493f8 }
  }
`

function panelOf({ chart: title, ours, peers, goal, atLeast, unit }) {
  const bars = [{ name: 'payments-client', value: ours, ours: true }]
  for (const [name, value] of Object.entries(peers)) bars.push({ name, value })
  bars.sort((one, other) => (atLeast ? other.value - one.value : one.value - other.value))
  return { title, bars, goal, unit, height: titleHeight + bars.length * barStep }
}

function draw({ title, bars, goal, height }, { x, y }) {
  const longest = Math.max(...bars.map(({ value }) => value), goal)
  const room = columnWidth - nameWidth - valueWidth
  const at = (value) => x + nameWidth + (value / longest) * room
  const parts = [text(title, x, y + 13, 'title')]
  bars.forEach(({ name, value, ours }, index) => {
    const top = y + titleHeight + index * barStep
    const kind = ours ? 'ours' : 'peer'
    const length = Math.max(1, at(value) - at(0)).toFixed(1)
    parts.push(
      text(name, x + nameWidth - 8, top + 11, kind, 'end'),
      `<rect class="${kind}" x="${at(0)}" y="${top}" width="${length}" height="${barHeight}" rx="2"/>`,
      text(value.toFixed(value < 10 ? 2 : 0), at(value) + 6, top + 11, kind),
    )
  })
  const goalAt = at(goal).toFixed(1)
  parts.push(`<line x1="${goalAt}" x2="${goalAt}" y1="${y + titleHeight - 4}" y2="${y + height}"/>`)
  return parts.join('\n')
}

function text(content, x, y, kind, anchor = 'start') {
  return `<text class="${kind}" x="${x.toFixed(1)}" y="${y}" text-anchor="${anchor}">${escaped(content)}</text>`
}

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

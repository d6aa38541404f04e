/** Formats the rows as a Markdown table. */
export function table(rows) {
  const cells = rows.map((row) => [
    row.what,
    `**${written(row.ours, row.unit)}**`,
    goalOf(row),
    row.met === undefined ? '' : row.met ? 'met' : '**missed**',
    peersOf(row),
    besideStripe(row),
  ])
  const head = ['What', 'Ours', 'Goal', '', 'Peers', 'Ours ÷ stripe']
  return [head, head.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/** Formats the rows for a terminal. */
export function lines(rows) {
  return rows
    .map((row) => {
      const verdict = row.met === undefined ? '' : row.met ? 'met' : 'MISSED'
      return `${written(row.ours, row.unit).padStart(20)}  ${goalOf(row).padEnd(22)} ${verdict.padEnd(7)} ${row.what}\n${' '.repeat(22)}${peersOf(row)}`
    })
    .join('\n')
}

/** Formats a number with three significant digits. */
export function written(value, unit) {
  const number =
    unit && unit !== 'MB' && unit !== 'KB' ? Math.round(value).toLocaleString('en') : value.toFixed(value < 10 ? 2 : 1)
  const name = number === '1' ? unit.replace(/s$/, '') : unit
  return unit ? `${number} ${name}` : `${number} ×`
}

function goalOf({ goal, unit, atLeast }) {
  return goal === undefined ? '' : `${atLeast ? '≥' : '≤'} ${written(goal, unit)}`
}

function peersOf({ peers, unit, atLeast }) {
  return Object.entries(peers)
    .sort(([, one], [, other]) => (atLeast ? other - one : one - other))
    .map(([name, value]) => `${name} ${written(value, unit).replace(/ \S+$/, '')}`)
    .join(', ')
}

function besideStripe({ ours, peers }) {
  return peers.stripe ? (ours / peers.stripe).toFixed(2) : ''
}

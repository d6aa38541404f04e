/** Formats the rows as a Markdown table. */
export function table(rows) {
  const cells = rows.map((row) => [
    row.what,
    `**${written(row.ours, row.unit)}**${row.goal === undefined ? '' : ` (goal: ${goalOf(row)}${row.met ? '' : ', **missed**'})`}`,
    peersOf(row),
  ])
  const head = ['What', 'Ours', 'Peers']
  return [head, head.map(() => '---'), ...cells].map((row) => `| ${row.join(' | ')} |`).join('\n')
}

/** Formats the results of the suite `load` as a Markdown list. */
export function loadTable({ receiver, client }) {
  return [
    ['Receiver with PostgreSQL, 200 deliveries at a time', receiver],
    ['Client, 1,000 calls at a time', client],
  ]
    .map(([what, { perSecond, p50Ms, p99Ms, rssMb, lost, twice }]) => {
      const [speed, p50, p99] = [perSecond, p50Ms, p99Ms].map((value) => Math.round(value).toLocaleString('en'))
      const memory = rssMb.map(Math.round).join(', ')
      return `- ${what}: ${speed} per second, p50 ${p50} ms, p99 ${p99} ms, memory ${memory} MB, lost ${lost}, twice ${twice}`
    })
    .join('\n')
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
    unit && !['MB', 'KB', 'ms'].includes(unit)
      ? Math.round(value).toLocaleString('en')
      : value.toFixed(value < 10 ? 2 : 1)
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

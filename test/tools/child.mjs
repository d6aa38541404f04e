/**
 * Runs one tool's cases, and sends each result to the parent process.
 *
 *     node child.mjs MODULE [ARGUMENT]
 */
const [, , module, argument] = process.argv

let cases = {}
try {
  cases = await (await import(module)).default(argument)
} catch (error) {
  process.send({ type: 'result', name: 'start', status: 'fail', reason: String(error?.stack) })
}
for (const [name, run] of Object.entries(cases)) {
  try {
    await run()
    process.send({ type: 'result', name, status: 'pass' })
  } catch (error) {
    process.send({ type: 'result', name, status: 'fail', reason: String(error?.stack) })
  }
}
process.send({ type: 'end' }, () => process.exit(0))

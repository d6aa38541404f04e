/**
 * Runs one tool's cases, and sends the error of each case to the parent process, or `null` if the case passed.
 *
 *     node child.mjs MODULE [ARGUMENT]
 */
const [, , module, argument] = process.argv

const results = {}
async function run(name, work) {
  results[name] = null
  try {
    return await work()
  } catch (error) {
    results[name] = String(error?.stack)
  }
}

const cases = await run('start', async () => (await import(module)).default(argument))
for (const [name, work] of Object.entries(cases ?? {})) await run(name, work)
process.send(results, () => process.exit(0))

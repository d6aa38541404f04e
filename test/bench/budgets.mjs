/** Fails if the size of the package or the work of consumers' compilers exceeds a limit: `tsx test/bench/budgets.mjs`. */
import { installOurs } from './installed.mjs'
import { weightOf } from './weight.bench.mjs'

installOurs()
const { gzipped, compilation, installed } = await weightOf('payments-client')
const limits = [
  // The goal is 60,000: zod's complete classic API alone has 28,000, and zod/mini would have 7,000.
  ['bytes of a bundle with the client, compressed', gzipped, 69_000],
  ['types', compilation.types, 2500],
  ['instantiations of types', compilation.instantiations, 400],
  ['errors in declarations', compilation.errors, 0],
  ['installed packages', installed.packages, 3],
  // The goal is 3,000,000: the source maps, which contain src/, have 1,900,000.
  ['bytes of the installed package', installed.ownBytes, 4_750_000],
]
for (const [name, value, limit] of limits) {
  console.log(`${name}: ${value} of at most ${limit}${value > limit ? ' TOO MANY' : ''}`)
  if (value > limit) process.exitCode = 1
}

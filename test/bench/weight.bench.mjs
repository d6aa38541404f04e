/** Measures the bundle size, the compiler's work and the installed size. The results are the same in every run. */
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { bench, installation } from './installed.mjs'
import { compilation } from './measure/compilation.mjs'

/** A small program for each package, which makes one call. */
const programs = {
  'payments-client': `import { PaymentsClient } from 'payments-client'
const client = new PaymentsClient({ apiKey: 'key', baseUrl: 'https://payments.example' })
export const result = await client.payments.get('pay_1')
`,
  stripe: `import Stripe from 'stripe'
const stripe = new Stripe('sk_test_key')
export const result = await stripe.paymentIntents.retrieve('pi_1')
`,
}

export async function weight() {
  return { 'payments-client': await weightOf('payments-client'), stripe: await weightOf('stripe') }
}

export async function weightOf(name) {
  const program = programs[name]
  return {
    gzipped: await bundleBytes(program),
    compilation: compilation(program),
    installed: installation(name),
  }
}

/** Returns the size of a consumer's program after bundling, minifying and compressing. */
async function bundleBytes(program) {
  const { outputFiles } = await build({
    stdin: { contents: program, loader: 'ts', resolveDir: bench },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    write: false,
    logLevel: 'silent',
    // Ignores the repository's tsconfig.json, which would bundle src/ instead of the built package.
    tsconfigRaw: {},
  })
  const [{ contents }] = outputFiles
  return gzipSync(contents, { level: 9 }).length
}

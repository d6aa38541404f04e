import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { build } from 'esbuild'
import type { Target } from '../target.js'

/** A target as one file, together with all of src that it uses: fuzzers count what runs of it. */
export interface Bundle {
  readonly name: string
  /** Its CommonJS. */
  readonly file: string
  /** Inputs to start from, one file each. Fuzzers may add theirs. */
  readonly corpus: string
  /** Where inputs go that broke something. */
  readonly findings: string
  readonly words: readonly string[]
  /** Whether every try has to be waited for. */
  readonly isAsync: boolean
}

/** Where bundles and inputs are kept. */
export const workshop = resolve('.build/fuzz')

export async function bundleTarget(name: string): Promise<Bundle> {
  const file = `${workshop}/${name}.cjs`
  await build({
    entryPoints: [`test/stress/fuzz/${name}.fuzz.ts`],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'warning',
  })
  const { seeds, words, fuzz }: Target = createRequire(import.meta.url)(file)
  const corpus = `${workshop}/${name}`
  const findings = resolve('reports/fuzz')
  for (const folder of [corpus, findings]) mkdirSync(folder, { recursive: true })
  for (const [index, seed] of seeds.entries()) writeFileSync(`${corpus}/seed-${index}`, seed)
  return { name, file, corpus, findings, words, isAsync: fuzz.constructor.name === 'AsyncFunction' }
}

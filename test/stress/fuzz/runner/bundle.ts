import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'
import { build } from 'esbuild'
import type { Target } from '../target.js'

/** A fuzz target bundled with the code that it tests, so that fuzzers can measure coverage. */
export interface Bundle {
  readonly name: string
  /** The path of the CommonJS bundle. */
  readonly file: string
  /** The folder of seed inputs. Fuzzers may add inputs to it. */
  readonly corpus: string
  /** The folder of failing inputs. */
  readonly findings: string
  readonly words: readonly string[]
  readonly isAsync: boolean
}

/** The folder for bundles and inputs. */
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

// Fuzzes one target: mutates inputs at random, and keeps those that reach new code.
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename } from 'node:path'
import { inspect } from 'node:util'
import type { Target } from '../target.js'
import { Coverage } from './coverage.js'
import type { Ending } from './loop.js'
import { mutate, randomFrom } from './mutate.js'

const [, , file = '', seconds = '', findings = ''] = process.argv

/** The number of runs between coverage checks. A check takes as long as a hundred runs. */
const runsPerLook = 100

/** The time limit of one run in milliseconds. */
const patienceMs = 10_000

const coverage = new Coverage(basename(file))
const { seeds, words, fuzz }: Target = createRequire(import.meta.url)(file)
const random = randomFrom(Date.now())
const startedAt = performance.now()
const endsAt = startedAt + Number(seconds) * 1000
const corpus: Uint8Array[] = []
let runs = 0

try {
  for (const seed of seeds) await keepIfNew(seed)
  while (performance.now() < endsAt) {
    const batch = Array.from({ length: runsPerLook }, () => mutate(corpus, words, random))
    for (const input of batch) await attempt(input)
    if (coverage.isNew(coverage.look())) for (const input of batch) await keepIfNew(input)
  }
  end(undefined)
} catch (error) {
  end(inspect(error))
}

function end(finding: string | undefined): void {
  const ending: Ending = { runs, seconds: Math.round((performance.now() - startedAt) / 1000), finding }
  console.log(JSON.stringify(ending))
  process.exit()
}

async function keepIfNew(input: Uint8Array): Promise<void> {
  await attempt(input)
  const look = coverage.look()
  if (!coverage.isNew(look)) return
  coverage.remember(look)
  corpus.push(input)
}

async function attempt(input: Uint8Array): Promise<void> {
  runs++
  try {
    const running = fuzz(input)
    if (running) await withinPatience(running)
  } catch (error) {
    const place = `${findings}-${runs}`
    writeFileSync(place, input)
    throw new Error(`The target failed. The input is in ${place}`, { cause: error })
  }
}

async function withinPatience(running: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const impatience = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The run did not end within ${patienceMs} ms`)), patienceMs)
  })
  await Promise.race([running, impatience]).finally(() => clearTimeout(timer))
}

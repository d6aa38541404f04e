import { type Profiler, Session } from 'node:inspector'

/** Coverage by function position: an array with a 1 for each character that did not run. */
type Look = ReadonlyMap<string, Uint8Array>

/** Measures which parts of a script ran, using V8's coverage counters. */
export class Coverage {
  readonly #session = new Session()
  readonly #unreached = new Map<string, Uint8Array>()
  readonly #file: string

  /** @param file The script to measure. It must not be loaded yet. */
  constructor(file: string) {
    this.#file = file
    this.#session.connect()
    this.#session.post('Profiler.enable')
    this.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  }

  /** Returns the coverage since the last call. */
  look(): Look {
    const seen = new Map<string, Uint8Array>()
    // The callback runs synchronously, because the session inspects its own process.
    this.#session.post('Profiler.takePreciseCoverage', (_, { result }) => {
      for (const { functions } of result.filter(({ url }) => url.endsWith(this.#file))) {
        for (const part of functions) if (part.ranges[0]?.count) seen.set(placeOf(part), unreachedIn(part))
      }
    })
    return seen
  }

  /** Returns whether code ran that did not run in any of the remembered looks. */
  isNew(look: Look): boolean {
    return look.entries().some(([place, unreached]) => {
      const known = this.#unreached.get(place)
      return known === undefined || known.some((was, index) => was > (unreached[index] as number))
    })
  }

  remember(look: Look): void {
    for (const [place, unreached] of look) {
      const known = this.#unreached.get(place) ?? unreached
      this.#unreached.set(
        place,
        known.map((was, index) => Math.min(was, unreached[index] as number)),
      )
    }
  }
}

function placeOf({ ranges: [whole] }: Profiler.FunctionCoverage): string {
  return `${whole?.startOffset}-${whole?.endOffset}`
}

/**
 * Returns an array with a 1 for each character that did not run. V8 lists outer ranges first, so inner ranges override
 * them.
 */
function unreachedIn({ ranges }: Profiler.FunctionCoverage): Uint8Array {
  const [{ startOffset: start, endOffset: end } = { startOffset: 0, endOffset: 0 }] = ranges
  const unreached = new Uint8Array(end - start)
  for (const { startOffset, endOffset, count } of ranges) {
    unreached.fill(count === 0 ? 1 : 0, startOffset - start, endOffset - start)
  }
  return unreached
}

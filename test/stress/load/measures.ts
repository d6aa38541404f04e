/** A program that measures the client, and the goals for its results. */
export interface Measure<Figures> {
  readonly program: string
  readonly args: readonly string[]
  /** Command-line options of Node. */
  readonly flags?: readonly string[]
  /** The maximum number of attempts to reach the goals, because a busy machine may pause a process. @default 1 */
  readonly tries?: number
  readonly goals: (figures: Figures) => readonly Goal[]
}

export interface Goal {
  readonly what: string
  /** A readable summary of the results. */
  readonly measured: string
  readonly met: boolean
}

interface Calls {
  succeeded: number
  failures: readonly string[]
  requests: number
  mostConnections: number
}

const inFlight: Measure<Calls> = {
  program: 'test/faults/programs/concurrent-calls.ts',
  args: ['10000'],
  goals: ({ succeeded, failures, requests, mostConnections }) => [
    {
      what: '10,000 concurrent calls: all succeed',
      measured: `${inDigits(succeeded)} calls succeeded, with ${inDigits(requests)} requests${failures.map((failure) => `; ${failure}`).join('')}`,
      met: succeeded === 10_000 && requests === 10_000,
    },
    {
      what: '10,000 concurrent calls: at most 100 sockets',
      measured: `${mostConnections} at most`,
      met: mostConnections > 1 && mostConnections <= 100,
    },
  ],
}

interface Outage {
  calls: number
  requests: number
  attempts: number
  endings: Readonly<Record<string, number>>
  recovered: number
  recoveryMs: number
}

/** The number of retries that the retry budget allows while no call succeeds. */
const budget = 100

const outage = (reaction: 'fails' | 'resets', words: string, calls: number): Measure<Outage> => ({
  program: 'test/stress/load/programs/outage.ts',
  args: [reaction, String(calls)],
  goals: ({ requests, attempts, endings, recovered, recoveryMs }) => [
    {
      what: `${inDigits(calls)} calls while ${words}: at most ${inDigits(calls + budget)} requests, all reported by the errors`,
      measured: `${inDigits(requests)} requests, ${inDigits(attempts)} reported`,
      met: requests >= calls && requests <= calls + budget && attempts === requests,
    },
    {
      what: `${inDigits(calls)} calls while ${words}: each has the outcome unknown`,
      measured: JSON.stringify(endings),
      met: endings['unknown'] === calls,
    },
    {
      what: 'after the outage: 100 calls succeed within a second',
      measured: `${recovered} in ${Math.ceil(recoveryMs)} ms`,
      met: recovered === 100 && recoveryMs <= 1_000,
    },
  ],
})

interface Items {
  items: number
  grownMiB: number
}

const longList: Measure<Items> = {
  program: 'test/stress/load/programs/long-list.ts',
  args: [],
  flags: ['--expose-gc'],
  goals: ({ items, grownMiB }) => [
    {
      what: 'a list of 1,000,000 items: the heap grows by at most 16 MiB after the first 100,000',
      measured: `${inDigits(items)} items, ${grownMiB.toFixed(1)} MiB`,
      met: items === 1_000_000 && grownMiB <= 16,
    },
  ],
}

interface Export {
  codes: readonly (number | string)[]
  afterInterruptions: { payments: number; distinct: number }
  ratios: readonly number[]
  rssMiB: number
}

const exportOf = (payments: number, leastRatio: number): Measure<Export> => ({
  program: 'test/stress/load/programs/export.ts',
  args: [String(payments)],
  tries: 3,
  goals: ({ codes, afterInterruptions, ratios, rssMiB }) => [
    {
      what: `payments export of ${inDigits(payments)} payments, after SIGINT, SIGKILL and SIGTERM: each payment once`,
      measured: `${inDigits(afterInterruptions.payments)} payments, ${inDigits(afterInterruptions.distinct)} distinct`,
      met:
        String(codes) === '130,SIGKILL,130' &&
        afterInterruptions.payments === payments &&
        afterInterruptions.distinct === payments,
    },
    {
      what: `payments export: at least ${leastRatio} times as fast as a simultaneous loop over the list`,
      measured: `${ratios.map((ratio) => ratio.toFixed(2)).join(', ')} times`,
      met: median(ratios) >= leastRatio,
    },
    {
      what: 'payments export: at most 128 MiB of memory (RSS)',
      measured: `${Math.round(rssMiB)} MiB`,
      met: rssMiB <= 128,
    },
  ],
})

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number
}

interface Quantiles {
  medianMs: number
  p99Ms: number
}

interface Limits {
  answered: number
  overshoot: Quantiles
  abort: Quantiles
  timer: Quantiles
}

const limits = (calls: number): Measure<Limits> => ({
  program: 'test/stress/load/programs/limits.ts',
  args: [String(calls)],
  tries: 3,
  goals: ({ answered, overshoot, abort, timer }) => [
    {
      what: `${inDigits(calls)} calls with a deadline, under load: end at most 100 ms (p99) later than a plain timer`,
      measured: `${inWords(overshoot)} after the deadline; a plain timer: ${inWords(timer)}; ${inDigits(answered)} other calls succeeded`,
      // Subtracts the delay of a plain timer, because all timers are late on a busy machine.
      met: overshoot.p99Ms - Math.max(0, timer.p99Ms) <= 100,
    },
    {
      what: `${inDigits(calls)} aborted calls, under load: end within 50 ms (p99)`,
      measured: inWords(abort),
      met: abort.p99Ms <= 50,
    },
  ],
})

function inWords({ medianMs, p99Ms }: Quantiles): string {
  return `median ${medianMs.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`
}

function inDigits(count: number): string {
  return count.toLocaleString('en')
}

/** Returns all measurements. With `quick`, they make fewer calls, except if a goal depends on the number of calls. */
export function measures(quick: boolean) {
  const calls = quick ? 1_000 : 10_000
  return [
    inFlight,
    outage('fails', 'every response is a 503', calls),
    outage('resets', 'every connection is reset', calls),
    limits(quick ? 200 : 1_000),
    longList,
    // A short export is slower, because V8 has not compiled the code during the first second.
    quick ? exportOf(10_000, 0.5) : exportOf(100_000, 0.8),
  ] as readonly Measure<never>[]
}

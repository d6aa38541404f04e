import { runtimeOption } from '../../internal/runtime.js'
import type { Sandbox } from '../api.js'
import type { SandboxOptions } from '../internal/options.js'
import { createSandbox } from '../sandbox.js'
import type { Effect } from '../store/store.js'
import { Courier } from './courier.js'
import { describePoint, disturb, type Point, pointOf } from './network.js'
import type { ExploreOptions, StartContext } from './options.js'
import { brokenRules, type PaymentRow, type Violation } from './rules.js'
import { type Disturbance, isCrash, isFault, isWebhookKind, type Schedule } from './schedule.js'
import { clientLoaded, createRuntime, NeverEnds, VirtualTime } from './virtual-time.js'

/** The observations of one run. */
export interface RunResult {
  readonly schedule: Schedule
  /** The requests, oldest first. */
  readonly points: readonly Point[]
  /** The types of the webhooks, oldest first. */
  readonly webhooks: readonly string[]
  readonly violations: readonly Violation[]
  /** The events of the run. `isDisturbed` marks faults, crashes and disturbed webhooks. */
  readonly events: readonly { readonly text: string; readonly isDisturbed: boolean }[]
  readonly ledger: readonly Effect[]
}

/** One process of the shop. */
interface Process<Shop> {
  readonly number: number
  isAlive: boolean
  /** Whether the process dies as soon as it does anything else. */
  isDoomed?: Disturbance
  shop?: Shop
  handler?: (request: Request) => Response | Promise<Response>
  /** Rejects when the process dies. */
  readonly died: Promise<never>
  die(): void
}

class Died extends Error {}

/** More requests than any shop sends in one run. */
const maxRequests = 1_000
const maxRounds = 20
/** The virtual time that a request takes. */
const requestMs = 20
const roundMs = 600_000

const never = new Promise<never>(() => {})

/** Runs the shop once, with the disturbances of a schedule. */
export class Run<Shop, Storage extends object> {
  readonly #options: ExploreOptions<Shop, Storage>
  readonly #schedule: Schedule
  readonly #sandbox: Sandbox
  readonly #time: VirtualTime
  readonly #courier: Courier
  readonly #points: Point[] = []
  readonly #events: { text: string; isDisturbed: boolean }[] = []
  readonly #violations: Violation[] = []
  #storage!: Storage
  #process!: Process<Shop>
  #processes = 0
  #repeats = false

  constructor(options: ExploreOptions<Shop, Storage>, schedule: Schedule) {
    const { seed = 1, sandbox = {} } = options
    this.#options = options
    this.#schedule = schedule
    const now = sandbox.now ?? new Date('2026-01-05T09:00:00Z')
    const sandboxOptions: SandboxOptions = { seed: `${seed}, explore`, ...sandbox, now, idempotency: schedule.mode }
    this.#sandbox = createSandbox(sandboxOptions)
    this.#time = new VirtualTime(now.getTime(), options.createStorage !== undefined, (ms) => {
      void this.#sandbox.clock.advance(ms)
    })
    this.#courier = new Courier(
      this.#time,
      (number) => this.#disturbance(number, isWebhookKind),
      (request) => this.#deliver(request),
      (disturbance) => this.#crash(disturbance),
      (text, isDisturbed) => this.#log(text, isDisturbed),
    )
    this.#sandbox.webhooks.subscribe((request) => this.#courier.take(request))
  }

  /** Records an unhandled rejection of the shop. */
  reject(reason: unknown): void {
    this.#break('unhandled rejection', messageOf(reason))
  }

  async execute(): Promise<RunResult> {
    const { createStorage, disposeStorage } = this.#options
    const { disturbances } = this.#schedule
    this.#storage = createStorage ? await createStorage() : ({} as Storage)
    try {
      await this.#live(() => this.#play(), 'The scenario', disturbances.length === 0)
      await this.#settle()
      await this.#time.until(this.#checkEnd(), 'The check')
    } catch (error) {
      if (!(error instanceof NeverEnds)) throw error
      this.#break('never ends', error.message)
    } finally {
      await disposeStorage?.(this.#storage)
    }
    return {
      schedule: { ...this.#schedule, disturbances: disturbances.map((each) => this.#named(each)) },
      points: this.#points,
      webhooks: this.#courier.types,
      violations: this.#violations,
      events: this.#events,
      ledger: this.#sandbox.ledger,
    }
  }

  /** Runs work in the current process. If the process dies, starts another one, which goes on with `#afterCrash`. */
  async #live(work: () => Promise<unknown>, name: string, mustSucceed: boolean): Promise<void> {
    const run = async () => {
      try {
        if (!this.#process?.isAlive) await this.#start()
        await Promise.race([this.#process.died, work()])
      } catch (error) {
        if (error instanceof Died) return true
        if (mustSucceed) this.#break('check', `${name} failed without a fault: ${messageOf(error)}`)
      }
      // The process that was to die after a response has processed it by now.
      if (this.#process.isDoomed) this.#crash(this.#process.isDoomed)
      return !this.#process.isAlive
    }
    for (let again = work; await this.#time.until(run(), name); ) {
      work = this.#repeats ? again : async () => {}
      this.#repeats = false
    }
  }

  async #play(): Promise<void> {
    await this.#options.scenario(this.#process.shop as Shop, { sandbox: this.#sandbox })
  }

  /** Runs the shop's jobs until nothing changes any more. */
  async #settle(): Promise<void> {
    let unchanged = 0
    for (let round = 1; unchanged < 2; round++) {
      if (round > maxRounds)
        return this.#break('jobs never end', `The jobs still change something after ${maxRounds} rounds`)
      const before = this.#fingerprint()
      this.#courier.release()
      const jobs = async () => this.#options.settle?.(this.#process.shop as Shop)
      await this.#live(jobs, 'The jobs', this.#schedule.disturbances.length === 0)
      await this.#time.until(this.#sandbox.webhooks.flush(), 'The webhooks')
      await this.#time.pass(roundMs)
      unchanged = this.#fingerprint() === before && this.#courier.pending === 0 ? unchanged + 1 : 0
    }
  }

  async #checkEnd(): Promise<void> {
    const { check } = this.#options
    const ledger = this.#sandbox.ledger
    this.#violations.push(...brokenRules(await this.#payments(), ledger))
    try {
      await check?.({ sandbox: this.#sandbox, ledger, storage: this.#storage })
    } catch (error) {
      this.#break('check', messageOf(error))
    }
  }

  async #payments(): Promise<PaymentRow[]> {
    const { apiKey, baseUrl, fetch } = this.#sandbox
    const rows: PaymentRow[] = []
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const url: string = `${baseUrl}/payments?limit=100${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
      const page: { data: PaymentRow[]; nextCursor?: string } = await (
        await fetch(url, { headers: { 'x-api-key': apiKey } })
      ).json()
      rows.push(...page.data)
      cursor = page.nextCursor
    }
    return rows
  }

  /** Starts a process of the shop. */
  async #start(): Promise<void> {
    this.#processes += 1
    const number = this.#processes
    let die = () => {}
    const died = new Promise<never>((_, reject) => {
      die = () => reject(new Died())
    })
    died.catch(() => {})
    const own: Process<Shop> = { number, isAlive: true, died, die }
    this.#process = own
    if (number > 1) this.#log('the shop starts again', false)
    const { seed = 1 } = this.#options
    const runtime = createRuntime(this.#time, number, `${seed}, process ${number}`)
    const { now, setTimeout, clearTimeout } = runtime
    const fetch = (input: Request | URL | string, init?: RequestInit) => this.#send(own, new Request(input, init))
    const context: StartContext<Storage> = {
      clientOptions: { ...this.#sandbox.clientOptions({ fetch }), [runtimeOption]: runtime } as never,
      storage: this.#storage,
      webhookSecret: this.#sandbox.webhooks.secret,
      receive: (handler) => {
        own.handler = handler
      },
      clock: { now, setTimeout, clearTimeout },
    }
    own.shop = await Promise.race([died, this.#options.start(context)])
  }

  /** Sends a request of the shop to the service, unless its process is dead. */
  async #send(own: Process<Shop>, request: Request): Promise<Response> {
    clientLoaded()
    this.#time.touch()
    if (own.isDoomed && own.isAlive) this.#crash(own.isDoomed)
    if (!own.isAlive) return never
    if (this.#points.length >= maxRequests) {
      this.#break('never ends', `The shop sent more than ${maxRequests} requests`)
      return never
    }
    this.#time.tick(requestMs)
    const point = pointOf(this.#points.length + 1, request)
    this.#points.push(point)
    const disturbance = this.#disturbance(point.number, (kind) => isFault(kind) || isCrash(kind))
    const effects = this.#sandbox.ledger.length
    try {
      this.#options.onRequest?.({ ...point, request })
      const response = await this.#respond(own, request, disturbance)
      this.#logRequest(point, effects, disturbance, response && String(response.status))
      return response ?? never
    } catch (error) {
      this.#logRequest(point, effects, disturbance, 'no response')
      throw error
    } finally {
      this.#courier.requestSent()
      this.#time.touch()
    }
  }

  /** Resolves to undefined if the process died before the response arrived. */
  async #respond(
    own: Process<Shop>,
    request: Request,
    disturbance: Disturbance | undefined,
  ): Promise<Response | undefined> {
    const perform = (sent: Request) => this.#sandbox.fetch(sent)
    if (disturbance === undefined) return perform(request)
    const { kind } = disturbance
    if (isFault(kind)) return disturb(kind, request, perform)
    if (kind === 'after-response') {
      const response = await perform(request)
      own.isDoomed = disturbance
      return response
    }
    if (kind === 'after-effect') await perform(request)
    this.#crash(disturbance)
    return undefined
  }

  #crash(disturbance: Disturbance): void {
    const own = this.#process
    if (!own.isAlive) return
    own.isAlive = false
    this.#repeats = disturbance.repeat === true
    this.#time.cancelAll(own.number)
    this.#log('the process dies', true)
    own.die()
  }

  /** Passes a webhook to the current process. Resolves to undefined if it dies or does not receive webhooks. */
  async #deliver(request: Request): Promise<Response | undefined> {
    const own = this.#process
    if (!own?.isAlive || own.handler === undefined) return undefined
    return Promise.race([own.died.catch(() => undefined), own.handler(request)])
  }

  #disturbance(point: number, isKind: (kind: string) => boolean): Disturbance | undefined {
    return this.#schedule.disturbances.find((each) => each.point === point && isKind(each.kind))
  }

  /** Adds the request or webhook that a disturbance affected. */
  #named(disturbance: Disturbance): Disturbance {
    const { point, kind } = disturbance
    const sent = this.#points[point - 1]
    const request = isWebhookKind(kind) ? this.#courier.types[point - 1] : sent && describePoint(sent)
    return { ...disturbance, ...(request !== undefined && { request }) }
  }

  #logRequest(point: Point, effects: number, disturbance: Disturbance | undefined, result = 'no response'): void {
    const effect = this.#sandbox.ledger.length > effects ? 'took effect, ' : ''
    this.#log(`${describePoint(point)}   ${effect}${result}`, disturbance !== undefined)
  }

  #log(text: string, isDisturbed: boolean): void {
    this.#events.push({ text, isDisturbed })
  }

  #break(rule: Violation['rule'], message: string): void {
    this.#violations.push({ rule, message })
  }

  #fingerprint(): string {
    return JSON.stringify([this.#sandbox.ledger.length, this.#courier.types.length, plain(this.#storage)])
  }
}

/** Converts maps and sets, which JSON omits, and stops at values that JSON cannot represent. */
function plain(value: unknown): string {
  const replace = (_: string, item: unknown) =>
    item instanceof Map || item instanceof Set ? [...item] : typeof item === 'bigint' ? String(item) : item
  try {
    return JSON.stringify(value, replace) ?? ''
  } catch {
    return ''
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

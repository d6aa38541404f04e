import { runtimeOption } from '../../internal/runtime.js'
import type { Sandbox } from '../api.js'
import type { VirtualClock } from '../internal/clock.js'
import { createSandbox } from '../sandbox.js'
import type { PaymentRecord } from '../store/records.js'
import type { Effect } from '../store/store.js'
import { describePoint, disturb, type Point, pointOf } from './network.js'
import type { ExploreOptions } from './options.js'
import { Process } from './process.js'
import { type BrokenRule, findBrokenRules, Stop } from './rules.js'
import { type CrashKind, type FaultKind, isCrash, isWebhook, type Schedule } from './schedule.js'
import { callSent, VirtualTime } from './virtual-time.js'
import { WebhookDelivery } from './webhook-delivery.js'

/** The observations of one run. */
export interface RunResult {
  readonly schedule: Schedule
  /** The requests, oldest first. */
  readonly points: readonly Point[]
  /** The types of the webhooks, oldest first. */
  readonly webhooks: readonly string[]
  /** The number of requests until the scenario ended. */
  readonly scenarioRequests: number
  readonly brokenRules: readonly BrokenRule[]
  /** The events of the run. */
  readonly events: readonly { readonly text: string; readonly isFault: boolean }[]
  readonly ledger: readonly Effect[]
}

/** More requests than any shop sends in one run. */
const maxRequests = 1_000
const maxRounds = 20
/** The virtual time that a request takes. */
const requestMs = 20
/** The virtual time after each round of the jobs. */
const roundMs = 600_000

const never = new Promise<never>(() => {})

/** Runs the shop once, with the disturbances of a schedule. */
export class Run {
  readonly #options: ExploreOptions<unknown>
  readonly #schedule: Schedule
  readonly #sandbox: Sandbox
  readonly #time: VirtualTime
  readonly #webhooks: WebhookDelivery
  readonly #points: Point[] = []
  readonly #events: { text: string; isFault: boolean }[] = []
  readonly #brokenRules: BrokenRule[] = []
  #storage: unknown
  #process: Process<unknown> | undefined
  #processes = 0
  #crashes = 0
  #scenarioRequests = 0
  #hasReceiver = false

  constructor(options: ExploreOptions<unknown>, schedule: Schedule) {
    const { seed = 1, sandbox = {}, createStorage } = options
    const { now = new Date('2026-01-05T09:00:00Z') } = sandbox
    this.#options = options
    this.#schedule = schedule
    this.#sandbox = createSandbox({ seed: `${seed}, explore`, ...sandbox, now, idempotency: schedule.mode })
    this.#time = new VirtualTime(this.#sandbox.clock as VirtualClock, createStorage !== undefined)
    this.#webhooks = new WebhookDelivery(this.#time, this)
    this.#sandbox.webhooks.subscribe((request) => (this.#hasReceiver ? this.#webhooks.take(request) : new Response()))
  }

  get requests(): number {
    return this.#points.length
  }

  /** Records an unhandled rejection of the shop. */
  reject(reason: unknown): void {
    this.#break('unhandled rejection', messageOf(reason))
  }

  async execute(): Promise<RunResult> {
    const { createStorage = () => ({}), disposeStorage } = this.#options
    try {
      this.#storage = await this.#time.runToEnd('createStorage', createStorage)
      await this.#play()
      await this.#settle()
      await this.#time.runToEnd('The check', () => this.#check())
    } catch (error) {
      if (!(error instanceof Stop)) throw error
      this.#break(error.rule, error.message)
    } finally {
      this.#process?.kill()
      const storage = this.#storage
      if (storage !== undefined) await this.#time.runToEnd('disposeStorage', () => disposeStorage?.(storage))
    }
    const disturbances = this.#schedule.disturbances.map((disturbance) => {
      const { point, kind } = disturbance
      const sent = this.#points[point - 1]
      const request = isWebhook(kind) ? this.#webhooks.types[point - 1] : sent && describePoint(sent)
      return request === undefined ? disturbance : { ...disturbance, request }
    })
    return {
      schedule: { ...this.#schedule, disturbances },
      points: this.#points,
      webhooks: this.#webhooks.types,
      scenarioRequests: this.#scenarioRequests,
      brokenRules: this.#brokenRules,
      events: this.#events,
      ledger: [...this.#sandbox.ledger],
    }
  }

  async #play(): Promise<void> {
    const { scenario } = this.#options
    const play = () => this.#call('The scenario', (shop) => scenario(shop, { sandbox: this.#sandbox }))
    while ((await play()) && this.#schedule.afterCrash === 'repeat');
    this.#scenarioRequests = this.#points.length
  }

  /** Runs the shop's jobs until nothing changes any more. */
  async #settle(): Promise<void> {
    const { settle = () => {} } = this.#options
    for (let round = 1, unchanged = 0; unchanged < 2; round++) {
      if (round > maxRounds) {
        return this.#break('jobs never end', `The jobs still change something after ${maxRounds} rounds`)
      }
      const before = this.#state()
      this.#webhooks.release()
      await this.#call('A job', settle)
      await this.#time.runToEnd('A webhook', () => this.#sandbox.webhooks.flush())
      await this.#time.pass(roundMs)
      unchanged = this.#state() === before && this.#webhooks.pending === 0 ? unchanged + 1 : 0
    }
  }

  /** Calls the shop's current process. If it dies, starts another one. Resolves to whether it died. */
  async #call(name: string, work: (shop: unknown) => unknown): Promise<boolean> {
    const crashes = this.#crashes
    let step = 'start'
    try {
      if (!this.#process?.isAlive) await this.#time.runToEnd(step, () => this.#start())
      const own = this.#process as Process<unknown>
      step = name
      if (own.isAlive) await this.#time.runToEnd(step, () => Promise.race([own.died, work(own.shop)]))
    } catch (error) {
      if (error instanceof Stop) throw error
      if (this.#schedule.disturbances.length === 0) {
        throw new Stop('check', `${step} failed without a fault: ${messageOf(error)}`)
      }
    }
    if (this.#process?.isDoomed) this.crash()
    if (this.#crashes === crashes) return false
    await this.#call('start', () => {})
    return true
  }

  /** Starts a process of the shop. */
  async #start(): Promise<void> {
    const { seed = 1, start } = this.#options
    const sandbox = this.#sandbox
    this.#processes += 1
    const own = new Process(this.#time, `${seed}, process ${this.#processes}`)
    this.#process = own
    if (this.#processes > 1) this.log('shop: starts again')
    const fetch = (input: Request | URL | string, init?: RequestInit) => this.#send(own, new Request(input, init))
    try {
      const started = start({
        clientOptions: { ...sandbox.clientOptions({ fetch }), [runtimeOption]: own.runtime } as never,
        storage: this.#storage,
        webhookSecret: sandbox.webhooks.secret,
        receive: (handler) => {
          own.handler = handler
          this.#hasReceiver = true
        },
        clock: own.clock,
      })
      own.shop = await Promise.race([own.died, started])
    } catch (error) {
      own.kill()
      throw error
    }
  }

  /** Sends a request of the shop to the service. Never settles if the process dies. */
  async #send(own: Process<unknown>, request: Request): Promise<Response> {
    callSent()
    this.#time.touch()
    if (own.isDoomed) this.crash()
    if (!own.isAlive) return never
    if (this.#points.length === maxRequests) {
      this.#break('never ends', `The shop sent more than ${maxRequests} requests`)
      own.kill()
      return never
    }
    void this.#sandbox.clock.advance(requestMs)
    const point = pointOf(this.#points.length + 1, request)
    this.#points.push(point)
    const { onRequest } = this.#options
    if (onRequest) await this.#time.pause(onRequest({ ...point, request: request.clone() }))
    const kind = this.kindAt(point.number, (other) => !isWebhook(other)) as FaultKind | CrashKind | undefined
    if (kind === 'before') {
      this.log(`${describePoint(point)}   not sent`)
      this.crash()
      return never
    }
    const effects = this.#sandbox.ledger.length
    const result = await this.#respond(own, request, kind).catch((error: unknown) => ({ error }))
    this.#logRequest(point, kind, effects, result)
    if (kind === 'after-effect') this.crash()
    this.#webhooks.requestSent(point.number)
    this.#time.touch()
    if (!own.isAlive || result === undefined) return never
    if ('error' in result) throw result.error
    return result
  }

  /** Resolves to undefined if the process dies before the response arrives. */
  async #respond(
    own: Process<unknown>,
    request: Request,
    kind: FaultKind | CrashKind | undefined,
  ): Promise<Response | undefined> {
    const perform = () => this.#sandbox.fetch(request)
    if (kind === undefined) return perform()
    if (!isCrash(kind)) return disturb(kind, request, perform, this.#schedule.mode)
    const response = await perform()
    own.isDoomed = kind === 'after-response'
    return own.isDoomed ? response : undefined
  }

  /** Ends the current process, as `kill -9` does. */
  crash(): void {
    if (!this.#process?.isAlive) return
    this.#crashes += 1
    this.log('shop: the process dies', true)
    this.#process.kill()
  }

  async deliver(request: Request): Promise<Response | undefined> {
    const own = this.#process
    return own?.isAlive ? this.#time.deliver(Promise.race([own.died, own.handler?.(request)])) : undefined
  }

  kindAt(point: number, isKind: (kind: string) => boolean): string | undefined {
    return this.#schedule.disturbances.find((each) => each.point === point && isKind(each.kind))?.kind
  }

  async #check(): Promise<void> {
    const { check } = this.#options
    const sandbox = this.#sandbox
    const payments = (sandbox.snapshot().store['payments'] as PaymentRecord[]).map(({ payment }) => payment)
    for (const { rule, message } of findBrokenRules(payments, sandbox.ledger)) this.#break(rule, message)
    try {
      await check?.({ sandbox, ledger: sandbox.ledger, storage: this.#storage })
    } catch (error) {
      this.#break('check', messageOf(error))
    }
  }

  /** Adds a line such as `payments.create pay-order-17-1   took effect, response lost`. */
  #logRequest(
    point: Point,
    kind: FaultKind | CrashKind | undefined,
    effects: number,
    result: Response | { error: unknown } | undefined,
  ): void {
    const effect = this.#sandbox.ledger.slice(effects).find(({ idempotencyKey }) => idempotencyKey === point.key)
    const isFault = kind !== undefined && !isCrash(kind)
    const isReceived = result !== undefined && 'status' in result
    const isLost = effect !== undefined || !/^(refused|reset-before)$/.test(kind ?? '')
    const status = isReceived ? String(result.status) : isLost ? 'response lost' : 'not delivered'
    // Other faults change only the body.
    const text = isFault && isReceived && !kind.startsWith('status') ? `${status} (${kind})` : status
    const payment = isReceived && !isFault && effect?.operation.startsWith('payments.') ? effect.resourceId : undefined
    const words = payment ? this.#sandbox.history(payment).at(-1)?.status : effect ? `took effect, ${text}` : text
    this.log(`${describePoint(point)}   ${words}`, isFault)
  }

  log(text: string, isFault = false): void {
    this.#events.push({ text, isFault })
  }

  #break(rule: BrokenRule['rule'], message: string): void {
    if (this.#options.rules?.[rule] !== false) this.#brokenRules.push({ rule, message })
  }

  /** Returns a text that changes with the ledger, the storage and the number of webhooks, and after each fault. */
  #state(): string {
    const faults = this.#events.filter(({ isFault }) => isFault).length
    return JSON.stringify([this.#sandbox.ledger.length, this.#webhooks.types.length, faults, plain(this.#storage)])
  }
}

/** Formats maps and sets, which JSON omits, and ignores values that JSON cannot represent. */
function plain(value: unknown): string | undefined {
  try {
    return JSON.stringify(value, (_, item) =>
      item instanceof Map || item instanceof Set ? [...item] : typeof item === 'bigint' ? String(item) : item,
    )
  } catch {
    return undefined
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

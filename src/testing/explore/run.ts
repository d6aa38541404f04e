import { runtimeOption } from '../../core/internal/runtime.js'
import { assembleWithInspector } from '../inspector/sandbox.js'
import type { Sandbox } from '../sandbox/api.js'
import { createFetch } from '../sandbox/http/fetch.js'
import type { Effect } from '../sandbox/store/store.js'
import { describePoint, disturb, type Point, pointOf } from './network.js'
import type { Settings } from './options.js'
import { Process } from './process.js'
import { BrokenRule, findBrokenRules } from './rules.js'
import { type CrashKind, type Disturbance, type FaultKind, isCrash, isWebhook, type Schedule } from './schedule.js'
import { callSent, VirtualTime } from './virtual-time.js'
import { WebhookDelivery } from './webhook-delivery.js'

/** The data that `explore` collects about one run. */
export interface RunResult {
  readonly schedule: Schedule
  readonly requests: readonly Point[]
  readonly webhooks: readonly Point[]
  /** The number of requests that the shop sent before the scenario ended. */
  readonly scenarioRequests: number
  readonly brokenRules: readonly BrokenRule[]
  /** The lines of the run's timeline, in order. */
  readonly events: readonly { readonly text: string; readonly isFault: boolean }[]
  readonly ledger: readonly Effect[]
}

/** The maximum number of requests in one run. No shop should need more. */
const maxRequests = 1_000
const maxRounds = 20
/** The virtual time that a request takes. */
const requestMs = 20
/** The virtual time that passes after each round of jobs. */
const roundMs = 600_000

/** One run of the shop, with the faults and crashes of one schedule. */
export class Run {
  readonly requests: Point[] = []
  readonly time: VirtualTime
  readonly #settings: Settings
  readonly #schedule: Schedule
  readonly #assembly: ReturnType<typeof assembleWithInspector>
  readonly #sandbox: Sandbox
  readonly #webhooks = new WebhookDelivery(this)
  readonly #events: { text: string; isFault: boolean }[] = []
  readonly #brokenRules: BrokenRule[] = []
  #storage: unknown
  #process: Process<unknown> | undefined
  #processes = 0
  #crashes = 0
  #scenarioRequests = 0
  #hasReceiver = false

  constructor(settings: Settings, schedule: Schedule, endless: Set<string>) {
    const { seed, sandbox, createStorage } = settings
    const { now = new Date('2026-01-05T09:00:00Z') } = sandbox
    this.#settings = settings
    this.#schedule = schedule
    this.#assembly = assembleWithInspector({ seed: `${seed}, explore`, ...sandbox, now, idempotency: schedule.mode })
    this.#sandbox = this.#assembly.sandbox
    this.time = new VirtualTime(this.#assembly.context.clock, createStorage !== undefined, endless)
    this.#sandbox.webhooks.subscribe((request) => (this.#hasReceiver ? this.#webhooks.take(request) : new Response()))
  }

  /** Records an unhandled rejection of the shop. */
  reject(reason: unknown): void {
    this.#break(new BrokenRule('unhandled rejection', messageOf(reason)))
  }

  async execute(): Promise<RunResult> {
    const { createStorage = () => ({}), disposeStorage } = this.#settings
    try {
      this.#storage = await this.time.runToEnd('createStorage', createStorage)
      await this.#play()
      await this.#settle()
      await this.time.runToEnd('The check', () => this.#check())
    } catch (error) {
      if (!(error instanceof BrokenRule)) throw error
      this.#break(error)
    } finally {
      this.#process?.kill()
      const storage = this.#storage
      if (storage !== undefined) await this.time.runToEnd('disposeStorage', () => disposeStorage?.(storage))
    }
    const disturbances = this.#schedule.disturbances.map((disturbance) => {
      const points = isWebhook(disturbance.kind) ? this.#webhooks.points : this.requests
      const point = points[disturbance.point - 1]
      return point ? { ...disturbance, request: describePoint(point) } : disturbance
    })
    return {
      schedule: { ...this.#schedule, disturbances },
      requests: this.requests,
      webhooks: this.#webhooks.points,
      scenarioRequests: this.#scenarioRequests,
      brokenRules: this.#brokenRules,
      events: this.#events,
      ledger: [...this.#sandbox.ledger],
    }
  }

  async #play(): Promise<void> {
    const { scenario } = this.#settings
    const play = () => this.#call('The scenario', (shop) => scenario(shop, { sandbox: this.#sandbox }))
    while ((await play()) && this.#schedule.afterCrash === 'repeat');
    this.#scenarioRequests = this.requests.length
  }

  /** Runs the shop's jobs until two consecutive rounds change nothing. */
  async #settle(): Promise<void> {
    for (let round = 1, unchanged = 0; unchanged < 2; round++) {
      if (round > maxRounds) {
        const message = `The jobs still change something after ${maxRounds} rounds`
        return this.#break(new BrokenRule('jobs never end', message))
      }
      const before = this.#state()
      this.#webhooks.sendAll()
      await this.#call('A job', this.#settings.settle)
      await this.time.runToEnd('A webhook', () => this.#sandbox.webhooks.flush())
      await this.time.runToEnd('The time', () => this.time.sleep(roundMs))
      unchanged = this.#state() === before && this.#webhooks.pending === 0 ? unchanged + 1 : 0
    }
  }

  /** Runs `work` in the shop's current process. If the process dies, starts another process and resolves to true. */
  async #call(name: string, work: (shop: unknown) => unknown): Promise<boolean> {
    const crashes = this.#crashes
    let step = 'start'
    try {
      if (!this.#process?.isAlive) await this.time.runToEnd(step, () => this.#start())
      const own = this.#process as Process<unknown>
      step = name
      if (own.isAlive) await this.time.runToEnd(step, () => own.untilDeath(work(own.shop)))
    } catch (error) {
      if (error instanceof BrokenRule) throw error
      if (this.#schedule.disturbances.length === 0) {
        throw new BrokenRule('check', `${step} failed without a fault: ${messageOf(error)}`)
      }
    }
    if (this.#process?.isDoomed) this.crash()
    if (this.#crashes === crashes) return false
    await this.#call('start', () => {})
    return true
  }

  async #start(): Promise<void> {
    const { seed, start } = this.#settings
    const sandbox = this.#sandbox
    this.#processes += 1
    const own = new Process(this.time, `${seed}, process ${this.#processes}`)
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
      own.shop = await own.untilDeath(started)
    } catch (error) {
      own.kill()
      throw error
    }
  }

  /** Sends a request from the shop to the service. Never settles if the process dies. */
  async #send(own: Process<unknown>, request: Request): Promise<Response> {
    callSent()
    this.time.touch()
    if (own.isDoomed) this.crash()
    if (own.isAlive && this.requests.length === maxRequests) {
      this.#break(new BrokenRule('never ends', `The shop sent more than ${maxRequests} requests`))
      own.kill()
    }
    if (!own.isAlive) return never()
    void this.#sandbox.clock.advance(requestMs)
    const point = pointOf(this.requests.length + 1, request)
    this.requests.push(point)
    const { onRequest } = this.#settings
    if (onRequest) await this.time.pause(onRequest({ ...point, request: request.clone() }))
    const kind = this.kindAt(point.number, false) as FaultKind | CrashKind | undefined
    if (kind === 'before') {
      this.log(`${describePoint(point)}   not sent`)
      this.crash()
    }
    if (!own.isAlive) return never()
    const delayedWebhooks = this.#webhooks.delayed.splice(0)
    const effects = this.#sandbox.ledger.length
    const { service } = this.#assembly
    const fetch = createFetch((received) =>
      disturb(kind, () => service(received), this.#schedule.mode, this.time.clock),
    )
    const result = await fetch(request).catch((error: unknown) => ({ error }))
    this.#logRequest(point, kind, effects, 'error' in result ? undefined : result)
    if (kind === 'after-effect') this.crash()
    if (kind === 'after-response') own.isDoomed = true
    // Sends the webhooks 1 ms later, so that webhooks of this request always arrive first.
    for (const sendWebhook of delayedWebhooks) this.time.schedule(sendWebhook, 1)
    this.time.touch()
    if (!own.isAlive) return never()
    if ('error' in result) throw result.error
    return result
  }

  /** Adds a line such as `payments.create pay-order-17-1   took effect, response lost`. */
  #logRequest(
    point: Point,
    kind: FaultKind | CrashKind | undefined,
    effects: number,
    response: Response | undefined,
  ): void {
    const effect = this.#sandbox.ledger.slice(effects).find(({ idempotencyKey }) => idempotencyKey === point.key)
    const isFault = kind !== undefined && !isCrash(kind)
    // Most faults do not change the response's status, so the line also contains the fault's name.
    const detail = isFault && !kind.startsWith('status') ? ` (${kind})` : ''
    const noResponse = kind === 'refused' || kind === 'reset-before' ? 'not delivered' : 'response lost'
    const result = response ? `${response.status}${detail}` : noResponse
    const payment = response && !isFault && effect?.operation.startsWith('payments.') ? effect.resourceId : undefined
    const words = payment ? this.#sandbox.history(payment).at(-1)?.status : effect ? `took effect, ${result}` : result
    this.log(`${describePoint(point)}   ${words}`, isFault)
  }

  /** Ends the current process immediately, as `kill -9` does. */
  crash(): void {
    if (!this.#process?.isAlive) return
    this.#crashes += 1
    this.log('shop: the process dies', true)
    this.#process.kill()
  }

  async deliver(request: Request): Promise<Response | undefined> {
    const own = this.#process
    return own?.isAlive ? this.time.deliver(own.untilDeath(own.handler?.(request))) : undefined
  }

  kindAt(point: number, isOfWebhook: boolean): Disturbance['kind'] | undefined {
    return this.#schedule.disturbances.find((each) => each.point === point && isWebhook(each.kind) === isOfWebhook)
      ?.kind
  }

  async #check(): Promise<void> {
    const { check } = this.#settings
    const sandbox = this.#sandbox
    const payments = this.#assembly.context.store.payments.rows().map(({ payment }) => payment)
    for (const brokenRule of findBrokenRules(payments, sandbox.ledger)) this.#break(brokenRule)
    try {
      await check?.({ sandbox, ledger: sandbox.ledger, storage: this.#storage })
    } catch (error) {
      this.#break(new BrokenRule('check', messageOf(error)))
    }
  }

  log(text: string, isFault = false): void {
    this.#events.push({ text, isFault })
  }

  #break(brokenRule: BrokenRule): void {
    if (this.#settings.rules?.[brokenRule.rule] !== false) this.#brokenRules.push(brokenRule)
  }

  /** Returns a fingerprint of the run that changes with every effect, webhook, fault and change in the storage. */
  #state(): string {
    const faults = this.#events.filter(({ isFault }) => isFault).length
    return JSON.stringify([this.#sandbox.ledger.length, this.#webhooks.points.length, faults, plain(this.#storage)])
  }
}

/** Returns a new promise that never settles. A single shared promise would keep the callbacks of all runs in memory. */
const never = () => new Promise<never>(() => {})

/** Formats a value as JSON, including maps, sets and bigints. Returns undefined if JSON cannot represent the value. */
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

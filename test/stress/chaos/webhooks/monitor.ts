import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { driver } from '../../../stores/drivers.js'
import type { Delivery } from './sender.js'

/** A step in the handling of an event: an effect, or the completion of the delivery. */
interface Step {
  readonly ms: number
  /** The id of the process that caused the effect. Absent when a delivery is completed. */
  readonly receiver?: string
}

/** Counts of repeated effects: the same event caused another effect later. */
export interface Repeated {
  readonly total: number
  /** The number of repeated effects whose process was not killed before `complete`. */
  readonly unexplained: number
}

/** Records the order of effects and completed deliveries by monitoring Redis. */
export async function monitorRedis(url: string, deliveries: readonly Delivery[]) {
  const eventOf = new Map(deliveries.map(({ event, body }) => [createHash('sha256').update(body).digest('hex'), event]))
  const steps = new Map<string, Step[]>([...eventOf.values()].map((event) => [event, []]))
  const client = await driver('redis').createClient({ url }).connect()
  await client.monitor((line: string) => {
    const ms = Number.parseFloat(line) * 1000
    const [, effect, receiver] = /"RPUSH" "effects:(\d+)" "(\d+)"$/.exec(line) ?? []
    const [, completed] = /lua\] "SET" "[^"]*:webhook:([0-9a-f]{64})" "done"/.exec(line) ?? []
    if (effect !== undefined && receiver !== undefined) steps.get(effect)?.push({ ms, receiver })
    if (completed !== undefined) steps.get(eventOf.get(completed) ?? '')?.push({ ms })
  })

  return {
    async repeated(killedAt: ReadonlyMap<string, number>): Promise<Repeated> {
      await sleep(1_000)
      client.destroy()
      let [total, unexplained] = [0, 0]
      for (const list of steps.values()) {
        for (const [index, { receiver }] of list.entries()) {
          const again = list.slice(index + 1).find((step) => step.receiver !== undefined)
          if (receiver === undefined || again === undefined) continue
          total++
          const wasKilled = (killedAt.get(receiver) ?? Number.POSITIVE_INFINITY) <= again.ms
          if (!wasKilled || list[index + 1] !== again) unexplained++
        }
      }
      return { total, unexplained }
    },
    /** Counts the events whose delivery was completed exactly one time, and not before the event's last effect. */
    completedOnce(): number {
      return [...steps.values()].filter(
        (list) => list.at(-1)?.receiver === undefined && list.filter(({ receiver }) => !receiver).length === 1,
      ).length
    },
  }
}

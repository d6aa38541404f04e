// Lets `explore` test a shop with PostgreSQL, whose statements then see the virtual time.
import type { ExploreClock } from 'payments-client/sandbox'

/** Returns a pool whose statements see the virtual time, which stops while they run. */
export function inVirtualTime<Pool extends object>(pool: Pool, clock: ExploreClock): Pool {
  const toVirtual = (sql: string) => sql.replaceAll('clock_timestamp()', `to_timestamp(${clock.now() / 1000})`)
  const wrap = (target: any): any =>
    new Proxy(target, {
      get(_, name) {
        if (name === 'query')
          return (sql: string, values?: unknown[]) => clock.pause(target.query(toVirtual(sql), values))
        if (name === 'connect') return async () => wrap(await clock.pause(target.connect()))
        return typeof target[name] === 'function' ? target[name].bind(target) : target[name]
      },
    })
  return wrap(pool)
}

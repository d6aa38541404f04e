import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The service's reaction to requests. */
export type Reaction = 'responds' | 'fails' | 'resets' | 'never responds'

interface Counts {
  readonly requests: number
  readonly mostConnections: number
}

export interface Service {
  readonly url: string
  /** Changes the reaction. Returns the number of requests and the maximum number of open connections until then. */
  become(reaction: Reaction): Promise<Counts>
  stop(): void
}

export async function startService(): Promise<Service> {
  const file = fileURLToPath(new URL('programs/service.ts', import.meta.url))
  const child = fork(file, { execArgv: process.execArgv })
  const [{ url }] = (await once(child, 'message')) as [{ url: string }]
  return {
    url,
    async become(reaction) {
      child.send(reaction)
      const [counts] = (await once(child, 'message')) as [Counts]
      return counts
    },
    stop: () => child.kill(),
  }
}

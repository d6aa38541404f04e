import { fork } from 'node:child_process'
import { once } from 'node:events'

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
  // The program that calls this function may be a bundle in another folder.
  const child = fork('test/stress/load/programs/service.ts', { execArgv: ['--import', 'tsx'] })
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

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** The service's reaction to requests. */
export type Reaction = 'responds' | 'fails' | 'resets' | 'never responds'

export interface Service {
  readonly url: string
  /** Changes the reaction, and returns the number of requests so far. */
  become(reaction: Reaction): Promise<{ requests: number }>
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
      const [counts] = (await once(child, 'message')) as [{ requests: number }]
      return counts
    },
    stop: () => child.kill(),
  }
}

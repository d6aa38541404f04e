import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Starts the service for all contenders in a separate process. */
export async function startService(options = {}) {
  const child = fork(fileURLToPath(new URL('../server.mjs', import.meta.url)), [JSON.stringify(options)])
  const [{ port }] = await once(child, 'message')
  const ask = async (question) => {
    child.send(question)
    const [response] = await once(child, 'message')
    return response[question]
  }
  return {
    address: { port, origin: `http://127.0.0.1:${port}` },
    async cpuMs() {
      const { user, system } = await ask('cpu')
      return (user + system) / 1000
    },
    /** Returns how many pages the service has sent since the last call, and how long they took. */
    served: () => ask('served'),
    stop: () => child.kill(),
  }
}

import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Starts the service that all contenders call, in a separate process. */
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
    /** Returns the number of pages served since the last call, and their total time. */
    served: () => ask('served'),
    stop: () => child.kill(),
  }
}

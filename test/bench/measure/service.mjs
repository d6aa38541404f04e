import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Start the service that all contenders call, in a process of its own. */
export async function startService(options = {}) {
  const child = fork(fileURLToPath(new URL('../server.mjs', import.meta.url)), [JSON.stringify(options)])
  const [{ port }] = await once(child, 'message')
  const ask = async (question) => {
    child.send(question)
    const [answer] = await once(child, 'message')
    return answer[question]
  }
  return {
    address: { port, origin: `http://127.0.0.1:${port}` },
    async cpuMs() {
      const { user, system } = await ask('cpu')
      return (user + system) / 1000
    },
    /** How many pages were served since it was last asked, and how long that took altogether. */
    served: () => ask('served'),
    stop: () => child.kill(),
  }
}

import { readdirSync, readFileSync } from 'node:fs'

/** Starts a database server. Also returns a function that measures the CPU time of the server's processes. */
export async function measured(start) {
  const before = new Set(processes().map(({ pid }) => pid))
  const server = await start()
  const started = processes().filter(({ pid }) => !before.has(pid))
  const ours = new Set(started.map(({ pid }) => pid))
  const isServer = ({ pid, parent }) => ours.has(pid) || ours.has(parent)
  const cpuMs = () => processes().reduce((sum, it) => (isServer(it) ? sum + it.cpuMs : sum), 0)
  return { server, cpuMs }
}

/** Returns the processes of the database servers on this machine. */
function processes() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        if (!/^\d+ \((postgres|redis-server)\)/.test(stat)) return []
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
        return [{ pid: Number(pid), parent: Number(fields[1]), cpuMs: (Number(fields[11]) + Number(fields[12])) * 10 }]
      } catch {
        // Ignores a process that has exited in the meantime.
        return []
      }
    })
}

import { AsyncLocalStorage } from 'node:async_hooks'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage, Server } from 'node:http'
import { createRequire } from 'node:module'
import { posix } from 'node:path'
import { duplexPair } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { ShopModule, StartServer } from '../support/guide-shop.js'
import type { SendToShop } from '../support/shop-page.js'
import { evaluate } from '../support/snippets.js'
import { guideNamed } from './guides.js'

// biome-ignore lint/suspicious/noExplicitAny: the exports of the guides' files have many types.
type Module = Record<string, any>

/** The frameworks, which only the project `frameworks` installs. */
const installed = createRequire(import.meta.url)

const silent = { log: () => {}, error: () => {} }
const process = { env: { PORT: '0' }, once: () => {} }

/** Loads a guide's file in this process, which imports the given module as `shop.ts`. */
async function load(guide: string, file: string, shop: ShopModule): Promise<Module> {
  const { files } = guideNamed(guide)
  const loaded = new Map<string, Module>()
  const loadFile = async (file: string): Promise<Module> => {
    const code = files.get(file) ?? ''
    const toFile = (name: string) => posix.join(posix.dirname(file), name).replace(/\.[jt]s$/, '')
    for (const [, name = ''] of code.matchAll(/from '(\.[^']+)'/g)) {
      const local = [...files.keys()].find((other) => other.replace(/\.ts$/, '') === toFile(name))
      if (local) loaded.set(toFile(name), await loadFile(local))
    }
    const find = (name: string) => {
      if (name.startsWith('payments-client')) return undefined
      if (!name.startsWith('.')) return installed(name)
      return toFile(name) === 'shop' ? shop : loaded.get(toFile(name))
    }
    return evaluate(code, { process, console: silent }, new Proxy({}, { get: (_, name: string) => find(name) }))
  }
  return loadFile(file)
}

const toRequest = (path: string, init: RequestInit) => new Request(`http://shop.example${path}`, init)

/** Starts servers whose pages export functions or a Fetch handler. */
const handlers: Record<string, StartServer> = {
  'bun-deno-and-cloudflare-workers': async (shop) => {
    const { default: server } = await load('bun-deno-and-cloudflare-workers', 'server.ts', shop)
    return (path, init) => server.fetch(toRequest(path, init))
  },
  nextjs: async (shop) => {
    const customer = await load('nextjs', 'app/orders/[...path]/route.ts', shop)
    const staff = await load('nextjs', 'app/staff/[...path]/route.ts', shop)
    const webhooks = await load('nextjs', 'app/webhooks/route.ts', shop)
    return (path, init) => {
      const route = path === '/webhooks' ? webhooks : path.startsWith('/staff') ? staff : customer
      return route['POST'](toRequest(path, init))
    }
  },
}

/** The file that starts the server of each guide that uses `node:http`. */
const programs: readonly (readonly [name: string, guide: string, file: string])[] = [
  ['node:http', 'nodehttp', 'server.ts'],
  ['AWS Lambda', 'aws-lambda', 'lambda-local.ts'],
  ['Express', 'express', 'server.ts'],
  ['Fastify', 'fastify', 'server.ts'],
  ['Hono', 'hono', 'server.ts'],
  ['NestJS on Express', 'nestjs', 'main.ts'],
  ['NestJS on Fastify', 'nestjs', 'nest-fastify.ts'],
]

/** The servers whose guides need no framework. */
export const independent: ReadonlyMap<string, StartServer> = new Map([
  ['Bun, Deno and Cloudflare Workers', handlers['bun-deno-and-cloudflare-workers'] as StartServer],
  ...programs.slice(0, 2).map(([name, guide, file]) => [name, listener(guide, file)] as const),
])

/** The servers whose guides need a framework. */
export const dependent: ReadonlyMap<string, StartServer> = new Map([
  ['Next.js', handlers['nextjs'] as StartServer],
  ...programs.slice(2).map(([name, guide, file]) => [name, listener(guide, file)] as const),
])

const starting = new AsyncLocalStorage<(server: Server) => void>()

/** Makes servers accept only in-memory connections. Returns a function that restores the servers. */
export function listenInMemory(): () => void {
  const { listen, address } = Server.prototype
  Server.prototype.listen = function (this: Server, ...args: unknown[]) {
    const listening = args.find((argument) => typeof argument === 'function')
    if (listening) this.once('listening', listening as () => void)
    starting.getStore()?.(this)
    setImmediate(() => {
      this.emit('listening')
      detach(this)
    })
    return this
  } as typeof listen
  Server.prototype.address = () => ({ address: '127.0.0.1', family: 'IPv4', port: 0 })
  return () => void Object.assign(Server.prototype, { listen, address })
}

/** Removes a server's timer and signal listeners, because they would keep the server in memory. */
function detach(server: Server): void {
  const timer = Object.getOwnPropertySymbols(server).find(({ description = '' }) =>
    /CheckingInterval/.test(description),
  )
  if (timer) clearInterval(Reflect.get(server, timer))
  for (const signal of shutdownSignals) {
    for (const listener of globalThis.process.listeners(signal)) {
      if (!ownListeners.has(listener)) globalThis.process.off(signal, listener)
    }
  }
}

const shutdownSignals = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const
/** The signal listeners of the test runner, which must remain. */
const ownListeners = new Set(shutdownSignals.flatMap((signal) => globalThis.process.listeners(signal)))

function listener(guide: string, file: string): StartServer {
  return async (shop) => {
    let server: Server | undefined
    await starting.run(
      (started) => {
        server ??= started
      },
      () => load(guide, file, shop),
    )
    return (...args) => sendInMemory(server as Server, ...args)
  }
}

async function sendInMemory(server: Server, ...[path, { method = 'GET', headers, body }]: Parameters<SendToShop>) {
  const [near, far] = duplexPair()
  server.emit('connection', far)
  const given = { ...(headers as Record<string, string>), connection: 'close' }
  const request = httpRequest({ createConnection: () => near as never, method, path, headers: given })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const received = await buffer(response)
  return new Response(received, { status: response.statusCode ?? 0, headers: response.headers as never })
}

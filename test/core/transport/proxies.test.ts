import https from 'node:https'
import { connect } from 'node:net'
import type { HttpAgent } from 'payments-client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { runProgram } from '../../faults/support/program.js'
import { clientOf, failLookup, failureOf, serve } from '../../support/clients.js'
import { closedPort, fin, read, write } from '../../support/scripted-server.js'

const failureThrough = (agent: HttpAgent, url = 'https://payments.test') =>
  failureOf(clientOf({ url }, { agent }).payments.resume('pay_1', { resumeToken: 'resume_1' }))

const agentFor = (proxyEnv: NodeJS.ProcessEnv) => new https.Agent({ proxyEnv })

describe('the error of a call through a proxy', () => {
  it.each(['HTTPS_PROXY', 'https_proxy'])('identifies the proxy in %s that refuses the connection', async (name) => {
    const port = await closedPort()

    const error = await failureThrough(agentFor({ [name]: `http://user:password@127.0.0.1:${port}` }))

    expect(error).toMatchObject({ name: 'ConnectionError', outcome: 'not_sent', reason: 'ECONNREFUSED' })
    expect(error.message).toContain(`the connection to the proxy 127.0.0.1:${port} failed`)
    expect(error.message).not.toContain('payments.test')
    expect(error.message).not.toContain('password')
  })

  it('identifies the proxy whose host does not exist', async () => {
    const hostname = 'proxy.test'
    failLookup(Object.assign(new Error('no such name'), { code: 'ENOTFOUND', syscall: 'getaddrinfo', hostname }))

    const error = await failureThrough(agentFor({ HTTPS_PROXY: 'http://proxy.test:3128' }))

    expect(error).toMatchObject({ outcome: 'not_sent', reason: 'ENOTFOUND' })
    expect(error.message).toContain('the connection to the proxy proxy.test:3128 failed')
  })

  it('identifies the proxy that rejects the password', async () => {
    const { port } = await serve([read(), write('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'), fin()])

    const error = await failureThrough(agentFor({ HTTPS_PROXY: `http://127.0.0.1:${port}` }))

    expect(error).toMatchObject({ outcome: 'not_sent', reason: 'ERR_PROXY_TUNNEL' })
    expect(error.message).toContain(`the connection to the proxy 127.0.0.1:${port} failed`)
  })

  it('identifies the proxy of an agent with the property proxy, like https-proxy-agent', async () => {
    const port = await closedPort()
    class ProxyAgent extends https.Agent {
      readonly proxy = new URL(`http://127.0.0.1:${port}`)
      override createConnection = () => connect(port, '127.0.0.1')
    }

    const error = await failureThrough(new ProxyAgent())

    expect(error).toMatchObject({ outcome: 'not_sent', reason: 'ECONNREFUSED' })
    expect(error.message).toContain(`the connection to the proxy 127.0.0.1:${port} failed`)
  })

  it('identifies the service if the connection uses no proxy', async () => {
    const port = await closedPort()
    const proxyEnv = { HTTPS_PROXY: 'http://127.0.0.1:9', NO_PROXY: 'localhost' }

    const error = await failureThrough(agentFor(proxyEnv), `https://localhost:${port}`)

    expect(error.message).toContain(`the connection to localhost:${port} failed`)
  })

  it('identifies the proxy that Node reads from the environment', async () => {
    const port = await closedPort()
    vi.stubEnv('HTTPS_PROXY', `http://127.0.0.1:${port}`)
    onTestFinished(() => void vi.unstubAllEnvs())

    const output = await runProgram(
      'refused-connection',
      ['https://payments.test', 'undici'],
      ['--use-env-proxy', '--disable-warning=UNDICI-EHPA'],
    )

    expect(output).toMatch(/^not_sent /)
    expect(output).toContain(`the connection to the proxy 127.0.0.1:${port} failed (ECONNREFUSED)`)
  })
})

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { certificateFile, startProxy, startTlsService } from '../loopback.mjs'
import { runRecipe } from '../recipe.mjs'
import { apiKey, body, failureOf } from '../support.mjs'

const program = join(import.meta.dirname, '../programs/pay.mjs')

/** Starts the service and a proxy. The process trusts the service's private certificate authority. */
export default async function start() {
  const service = await startTlsService()
  const proxy = await startProxy()

  /** Checks that a payment uses one tunnel, in which the proxy cannot read the API key. */
  async function checkTunnel(pay) {
    service.requests.length = proxy.tunnels.length = 0
    assert.equal(await pay(), 'pay_1')
    assert.deepEqual(
      proxy.tunnels.map(({ target }) => target),
      [`localhost:${service.port}`],
    )
    assert.ok(proxy.tunnels[0].sent.length > 0, 'The tunnel was not used')
    assert.ok(!proxy.tunnels[0].sent.includes(apiKey), 'The proxy can read the API key')
    assert.equal(service.requests.length, 1)
    const [{ method, url, headers, body: sent }] = service.requests
    assert.deepEqual([method, url, headers['x-api-key'], JSON.parse(sent)], ['POST', '/payments', apiKey, body])
    assert.equal(headers['proxy-authorization'], undefined, 'The service received the password of the proxy')
  }

  const recipeClient = async (text, proxyUrl) => {
    const env = { PAYMENTS_API_KEY: apiKey, PAYMENTS_BASE_URL: service.url, PROXY_URL: proxyUrl }
    return (await runRecipe('going-live.md', text, { env })).client
  }
  const pay = (client) => async () => (await client.payments.create(body)).id

  return {
    async 'https-proxy-agent'() {
      await checkTunnel(pay(await recipeClient('new HttpsProxyAgent', proxy.url)))
      const error = await failureOf(pay(await recipeClient('new HttpsProxyAgent', proxy.wrongUrl))())
      assert.deepEqual([error.code, error.httpStatus, error.outcome], ['ERR_API', 407, 'rejected'])
    },
    async 'undici ProxyAgent'() {
      await checkTunnel(pay(await recipeClient('new ProxyAgent', proxy.url)))
      const error = await failureOf(pay(await recipeClient('new ProxyAgent', proxy.wrongUrl))())
      assert.deepEqual([error.code, error.outcome], ['ERR_CONNECTION', 'unknown'])
    },
    async HTTPS_PROXY() {
      await checkTunnel(() => payInProcess(service.url, proxy.url))
      assert.match(await payInProcess(service.url, proxy.wrongUrl), /^ERR_CONNECTION/)
      service.close()
      proxy.close()
    },
  }
}

/** Creates a payment in a process with the guide's environment variables. Returns its id or the error code. */
async function payInProcess(baseUrl, proxyUrl) {
  const env = {
    PATH: process.env.PATH,
    NODE_EXTRA_CA_CERTS: certificateFile('authority.pem'),
    NODE_USE_ENV_PROXY: '1',
    HTTPS_PROXY: proxyUrl,
    PAYMENTS_API_KEY: apiKey,
    PAYMENTS_BASE_URL: baseUrl,
  }
  const { stdout } = await promisify(execFile)(process.execPath, [program, JSON.stringify(body)], { env })
  return stdout.trim()
}

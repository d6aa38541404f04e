import { checkMockedTimeout, mockCases, mockedHost } from '../support.mjs'

/** @param version The package's alias, for example `msw2`. */
export default async function start(version) {
  const { http, HttpResponse } = await import(version)
  const { setupServer } = await import(`${version}/node`)
  const server = setupServer()
  server.listen({ onUnhandledRequest: 'bypass' })
  const mock = (method, path, respond) => {
    const resolve = async ({ request }) => {
      if (respond === undefined) return HttpResponse.error()
      const { status, body } = respond({ headers: [...request.headers], body: await request.text() })
      return HttpResponse.json(body, { status })
    }
    server.use(http[method.toLowerCase()](`${mockedHost}${path}`, resolve))
  }
  return {
    ...mockCases(mock),
    async 'mocked timeout'() {
      server.use(http.get(`${mockedHost}/payments/pay_1`, () => new Promise(() => {})))
      await checkMockedTimeout()
    },
  }
}

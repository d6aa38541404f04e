import { checkMockedTimeout, mockCases, mockedHost } from '../support.mjs'

/** @param version The package's alias, for example `nock13`. */
export default async function start(version) {
  const { default: nock } = await import(version)
  const mock = (method, path, respond, times = 1) => {
    const scope = nock(mockedHost).intercept(path, method).times(times)
    if (respond === undefined) return scope.replyWithError(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))
    // nock 15 calls the function with a `Request`, and earlier versions with the path and the parsed body.
    return scope.reply(async function (request, sent) {
      const { status, body } = respond(
        request instanceof Request
          ? { headers: [...request.headers], body: await request.text() }
          : { headers: [...new Headers(this.req.headers)], body: JSON.stringify(sent) },
      )
      return [status, body]
    })
  }
  return {
    ...mockCases(mock),
    // In nock 15, aborting `fetch` crashes the process even without this package.
    ...(version !== 'nock15' && {
      async 'mocked timeout'() {
        nock(mockedHost).get('/payments/pay_1').delay(10_000).reply(200, {})
        await checkMockedTimeout()
        nock.abortPendingRequests?.()
      },
    }),
  }
}

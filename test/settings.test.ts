import { afterEach, describe, expect, it, vi } from 'vitest'
import { ConfigurationError, PaymentsClient } from '../src/index.js'

const baseUrl = 'https://payments.test'

afterEach(() => {
  vi.unstubAllGlobals()
})

function clientWith(options: object): PaymentsClient {
  return new PaymentsClient({ apiKey: 'key-1', baseUrl, ...options })
}

/** Why options are refused. */
function refusal(options: object): string {
  try {
    clientWith(options)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError)
    return (error as ConfigurationError).message
  }
  throw new Error('the options were accepted')
}

describe('an option', () => {
  it.each([
    [{ apiKey: '' }, 'Invalid client options: apiKey is empty'],
    [{ apiKey: 'two words' }, 'Invalid client options: apiKey contains a space, a line break or a character outside ASCII'],
    [{ apiVersion: ' 2.1' }, 'Invalid client options: apiVersion must be a version, such as 2021-09-27'],
    [{ hooks: 5 }, 'Invalid client options: hooks must be an object of hooks'],
    [{ hooks: null }, 'Invalid client options: hooks must be an object of hooks'],
    [{ baseUrl: 5 }, 'Invalid client options: baseUrl must be a URL'],
    [{ baseUrl: { toString: () => baseUrl } }, 'Invalid client options: baseUrl must be a URL'],
    [{ baseUrl: 'payments.test' }, 'Invalid client options: baseUrl is not a URL'],
    [{ baseUrl: 'https://:word@payments.test' }, 'Invalid client options: baseUrl must not contain a user name or password'],
    [{ baseUrl: 'https://me@payments.test' }, 'Invalid client options: baseUrl must not contain a user name or password'],
    [{ baseUrl: `${baseUrl}:6000` }, 'Invalid client options: baseUrl must not have the port 6000, which the Fetch Standard blocks'],
    [{ baseUrl: 'ftp://localhost' }, 'Invalid client options: baseUrl must use https (http only for loopback addresses)'],
  ])('is refused, with what it must be: %j', (options, message) => {
    expect(refusal(options)).toBe(message)
  })

  it.each(['http://127.0.0.10', 'http://127.10.20.30:4010', new URL('http://localhost:4010')])(
    'baseUrl may be %s',
    (url) => {
      expect(clientWith({ baseUrl: url })).toBeInstanceOf(PaymentsClient)
    },
  )
})

describe('an option of an unknown name', () => {
  it.each([
    ['a name that is two letters off', 'hok', ': did you mean "hooks"?'],
    ['a name in other capitals', 'MAXRETRIES', ': did you mean "maxRetries"?'],
    ['a name with more before it than in it', 'zzzzzzhooks', ''],
    ['a name with more behind it than in it', 'hookszzzzzz', ''],
  ])('is refused: %s', (_what, name, suggestion) => {
    expect(refusal({ [name]: 1 })).toBe(`Invalid client options: ${name} is not an option${suggestion}`)
  })
})

describe('the environment', () => {
  it.each([
    ['a runtime without process', undefined],
    ['a process without env', {}],
  ])('is not looked for in %s', (_what, process) => {
    vi.stubGlobal('process', process)

    const message = refusal({ apiKey: undefined })

    vi.unstubAllGlobals()
    expect(message).toBe('No apiKey: pass the option, or set the environment variable PAYMENTS_API_KEY')
  })
})

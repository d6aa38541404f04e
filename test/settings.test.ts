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
    [{ apiKey: '' }, 'The option "apiKey" is empty'],
    [{ apiKey: 'two words' }, 'The option "apiKey" has a space, a line break or another character that no key has'],
    [{ apiVersion: ' 2.1' }, 'The option "apiVersion" must be a version, such as 2021-09-27'],
    [{ hooks: 5 }, 'The option "hooks" must be an object of functions'],
    [{ hooks: null }, 'The option "hooks" must be an object of functions'],
    [{ baseUrl: 5 }, 'The option "baseUrl" must be a URL'],
    [{ baseUrl: { toString: () => baseUrl } }, 'The option "baseUrl" must be a URL'],
    [{ baseUrl: 'payments.test' }, 'The option "baseUrl" is not a URL'],
    [{ baseUrl: 'https://:word@payments.test' }, 'The option "baseUrl" must not contain a user name or password'],
    [{ baseUrl: 'https://me@payments.test' }, 'The option "baseUrl" must not contain a user name or password'],
    [{ baseUrl: `${baseUrl}:6000` }, 'The option "baseUrl" must not have the port 6000, which fetch refuses'],
    [{ baseUrl: 'ftp://localhost' }, 'The option "baseUrl" must use https (http is for loopback addresses only)'],
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
    expect(refusal({ [name]: 1 })).toBe(`The option "${name}" is not a known name${suggestion}`)
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
    expect(message).toBe('No apiKey: give the option, or set the environment variable PAYMENTS_API_KEY')
  })
})

import { type Command, Option } from '@commander-js/extra-typings'
import { PaymentsClient } from '../client.js'
import { ConfigurationError } from '../core/errors.js'
import type { ClientOptions, LogLevel } from '../core/options.js'
import { addCommand, requiredVariable, UsageError } from './command.js'
import type { Terminal } from './terminal.js'

export const variables = '\nReads the environment variables PAYMENTS_BASE_URL and PAYMENTS_API_KEY.'

export const apiVersionOption = new Option('--api-version <version>', 'API version').default('2021-09-27')

/** Adds a command that calls the service. The parameters are those of `addCommand`. */
export function addServiceCommand<Usage extends string>(
  parent: Command,
  usage: Usage,
  summary: string,
  example: string,
) {
  return addCommand(parent, usage, summary, example).addOption(apiVersionOption).addHelpText('after', variables)
}

/** The options of commands that call the service. */
export interface Connection {
  readonly apiVersion: string
}

export function createClient(
  terminal: Terminal,
  { apiVersion }: Connection,
  options: ClientOptions<string> = {},
): PaymentsClient<string> {
  const apiKey = requiredVariable(terminal, 'PAYMENTS_API_KEY')
  const baseUrl = requiredVariable(terminal, 'PAYMENTS_BASE_URL')
  try {
    return new PaymentsClient({
      apiKey,
      baseUrl,
      apiVersion,
      ...loggerOptions(terminal),
      ...options,
    })
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    throw new UsageError(`${error.message} (apiKey comes from PAYMENTS_API_KEY, baseUrl from PAYMENTS_BASE_URL)`)
  }
}

/** Returns a logger that writes to standard error, because `console` would mix log lines with the results. */
export function loggerOptions({ env, note }: Terminal): ClientOptions<string> {
  const logLevel = env['PAYMENTS_LOG'] as LogLevel | undefined
  const log = (line: string) => note(line)
  return logLevel ? { logLevel, logger: { debug: log, info: log, warn: log, error: log } } : {}
}

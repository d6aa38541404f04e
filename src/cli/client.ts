import { PaymentsClient } from '../client.js'
import { ConfigurationError } from '../errors.js'
import { required, UsageError } from './command.js'
import type { Terminal } from './terminal.js'

/** Where each option of the client comes from. */
const variables = { apiKey: 'PAYMENTS_API_KEY', baseUrl: 'PAYMENTS_BASE_URL' } as const

/** A client of the service that the environment names. */
export function clientOf(terminal: Terminal): PaymentsClient {
  const options = { apiKey: required(terminal, variables.apiKey), baseUrl: required(terminal, variables.baseUrl) }
  try {
    return new PaymentsClient(options)
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error
    throw new UsageError(inVariables(error.message))
  }
}

/** The client speaks of its options, the user knows only the environment. */
function inVariables(message: string): string {
  return message.replace(/option "(apiKey|baseUrl)"/, (_, option: keyof typeof variables) => {
    return `environment variable ${variables[option]}`
  })
}

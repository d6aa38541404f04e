import type { Command } from '@commander-js/extra-typings'
import type { CreateClientSessionBodyV21 } from '../core/schemas/client-session.js'
import { addServiceCommand, createClient } from './client.js'
import { addGroup, integerFrom } from './command.js'
import { readJsonObject } from './input-file.js'
import { describeFields } from './table.js'
import type { Terminal } from './terminal.js'

export function addSessionsCommands(program: Command, terminal: Terminal): void {
  const sessions = addGroup(
    program,
    'sessions',
    'Create a client session',
    'sessions create --order-id order-17 --currency-code EUR --amount 5000',
  )
  addServiceCommand(
    sessions,
    'create',
    'Create a client session and its client token',
    'sessions create --order-id order-17 --currency-code EUR --amount 5000',
  )
    .option('--order-id <id>', 'Your reference for the order')
    .option('--currency-code <code>', 'Currency, e.g. EUR')
    .option('--amount <amount>', 'Amount in minor units', integerFrom(0))
    .option('--customer-id <id>', 'Your identifier for the customer')
    .option(
      '--data <file>',
      'Read the body from this JSON file (- for standard input). Other options replace its fields',
    )
    .action(async ({ json, data, apiVersion, ...fields }) => {
      const body = { ...(data === undefined ? {} : await readJsonObject(terminal, data, '--data')), ...fields }
      const client = createClient(terminal, { apiVersion })
      const options = { signal: terminal.interrupted }
      // The cast is safe, because the client checks the user's JSON.
      const session = await client.clientSessions.create(body as CreateClientSessionBodyV21, options)
      terminal.print(...(json ? [JSON.stringify(session)] : describeFields(session)))
    })
}

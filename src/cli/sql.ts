import { migrationSql as postgresSql } from '../stores/postgres.js'
import { migrationSql as sqliteSql } from '../stores/sqlite.js'
import { identifier } from '../stores/store-options.js'
import { defineCommand, UsageError } from './command.js'

/** `payments-client sql <database>` */
export const sql = defineCommand({
  summary: 'Print the SQL that creates the tables of the stores',
  operands: ['<database>'],
  options: {
    schema: { value: 'name', help: 'Schema of the tables, PostgreSQL only (default: public)', rule: identifier },
    'table-prefix': { value: 'prefix', help: 'Start of the table names (default: payments_client_)', rule: identifier },
  },
  notes: ['<database> is postgres or sqlite. Pass the same options to createWebhookStore and createIdempotencyStore.'],
  async run({ values: { schema, 'table-prefix': tablePrefix }, operands: [database] }, terminal) {
    if (database !== 'postgres' && database !== 'sqlite') throw new UsageError('<database> must be postgres or sqlite')
    if (database === 'sqlite' && schema !== undefined) throw new UsageError('--schema is only for postgres')
    const prefix = tablePrefix === undefined ? {} : { tablePrefix }
    const statements =
      database === 'sqlite' ? sqliteSql(prefix) : postgresSql(schema === undefined ? prefix : { ...prefix, schema })
    terminal.print(...statements.trimEnd().split('\n'))
    return 0
  },
})

import { Argument, type Command } from '@commander-js/extra-typings'
import { migrationSql as postgresSql } from '../stores/postgres/index.js'
import { migrationSql as sqliteSql } from '../stores/sqlite/index.js'
import { identifier } from '../stores/store-options.js'
import { addCommand, checked, UsageError } from './command.js'
import type { Terminal } from './terminal.js'

/** Functions that return the SQL that creates the tables of the stores. */
export const migrations = { postgres: postgresSql, sqlite: sqliteSql }

export function addSqlCommand(program: Command, terminal: Terminal): void {
  addCommand(program, 'sql', 'Print the SQL that creates the tables of the stores', 'sql postgres --schema shop')
    .addArgument(
      new Argument('<database>', 'Database of the stores').choices(
        Object.keys(migrations) as (keyof typeof migrations)[],
      ),
    )
    .option('--schema <name>', 'Schema of the tables, PostgreSQL only (default: public)', checked(identifier))
    .option('--table-prefix <prefix>', 'Start of the table names (default: payments_client_)', checked(identifier))
    .addHelpText('after', '\nPass the same options to createWebhookStore and createJournal.')
    .action((database, { schema, tablePrefix, json }) => {
      if (database === 'sqlite' && schema !== undefined) throw new UsageError('--schema is only for postgres')
      const sql = migrations[database]({
        ...(tablePrefix !== undefined && { tablePrefix }),
        ...(schema !== undefined && { schema }),
      })
      terminal.print(...(json ? [JSON.stringify({ sql })] : sql.trimEnd().split('\n')))
    })
}

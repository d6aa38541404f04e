import { existsSync } from 'node:fs'
import type { Command } from '@commander-js/extra-typings'
import { ConfigurationError } from '../core/errors.js'
import { builtinModule } from '../core/internal/builtin.js'
import type { Journal } from '../core/options.js'
import { isMissingTable } from '../operations/errors.js'
import type { JournalOptions } from '../operations/journal.js'
import * as postgres from '../stores/postgres/index.js'
import * as sqlite from '../stores/sqlite/index.js'
import { identifier } from '../stores/store-options.js'
import { addCommand, CommandFailed, checked, UsageError } from './command.js'
import type { Terminal } from './terminal.js'

/** Adds a command that uses a journal. The parameters are those of `addCommand`. */
export function addJournalCommand<Usage extends string>(
  parent: Command,
  usage: Usage,
  summary: string,
  example: string,
) {
  return addCommand(parent, usage, summary, example)
    .option('--database <url>', 'URL of PostgreSQL, or an SQLite file (default: the environment variable DATABASE_URL)')
    .option('--schema <name>', 'Schema of the tables, PostgreSQL only', checked(identifier))
    .option('--table-prefix <prefix>', 'Start of the table names', checked(identifier))
    .addHelpText('after', notes)
}

const notes = `
Opens PostgreSQL with the package pg or postgres of the current folder, and SQLite with node:sqlite.
--schema and --table-prefix must have the same values as in your code.`

export interface JournalLocation {
  readonly database?: string | undefined
  readonly schema?: string | undefined
  readonly tablePrefix?: string | undefined
}

interface Opened {
  readonly database: postgres.PgPool | postgres.PostgresSql | sqlite.SqliteDatabase
  /** The schema and the prefix of the tables. */
  readonly names: { readonly schema?: string; readonly tablePrefix?: string }
  createJournal(options: JournalOptions): Journal
  close(): unknown
}

/** Runs `work` with a journal, and then closes the journal's database. */
export function withJournal<T>(
  terminal: Terminal,
  location: JournalLocation,
  options: JournalOptions,
  work: (journal: Journal) => Promise<T>,
): Promise<T> {
  return withDatabase(terminal, location, ({ createJournal, names }) => work(createJournal({ ...options, ...names })))
}

/** Runs `work` with a database, and then closes it. */
export async function withDatabase<T>(
  terminal: Terminal,
  location: JournalLocation,
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const opened = open(terminal, location)
  try {
    return await work(opened)
  } catch (error) {
    throw reportDatabaseFailure(error, terminal)
  } finally {
    await opened.close()
  }
}

function open(terminal: Terminal, { database, schema, tablePrefix }: JournalLocation): Opened {
  const url = database ?? terminal.env['DATABASE_URL']
  if (!url) throw new UsageError('Pass --database, or set the environment variable DATABASE_URL')
  const names = { ...(tablePrefix !== undefined && { tablePrefix }), ...(schema !== undefined && { schema }) }
  if (/^postgres(ql)?:\/\//.test(url)) return { ...openPostgres(terminal, url), names }
  // Rejects a missing file, which the SQLite driver would create. The message omits the value of `--database`, because
  // a URL may contain a password.
  if (!existsSync(url)) throw new UsageError('--database must be a postgres:// URL, or an SQLite file that exists')
  if (schema !== undefined) throw new UsageError('--schema is only for PostgreSQL')
  return { ...openSqlite(url), names }
}

function openPostgres(terminal: Terminal, url: string): Omit<Opened, 'names'> {
  const pg = terminal.load('pg') as { Pool: new (options: object) => postgres.PgPool & { end(): unknown } } | undefined
  if (pg) {
    const pool = new pg.Pool({ connectionString: url })
    return {
      database: pool,
      createJournal: (options) => postgres.createJournal(pool, options),
      close: () => pool.end(),
    }
  }
  const connect = terminal.load('postgres') as ((url: string) => postgres.PostgresSql & { end(): unknown }) | undefined
  if (!connect) {
    throw new UsageError(
      '--database: PostgreSQL needs the package pg or postgres: npm install pg, in the current folder',
    )
  }
  const sql = connect(url)
  return { database: sql, createJournal: (options) => postgres.createJournal(sql, options), close: () => sql.end() }
}

function openSqlite(file: string): Omit<Opened, 'names'> {
  type Constructor = new (file: string) => sqlite.SqliteDatabase & { close(): unknown }
  const Database = builtinModule<{ DatabaseSync: Constructor }>('node:sqlite')?.DatabaseSync
  if (!Database) throw new UsageError('--database: SQLite needs node:sqlite, which this runtime does not have')
  const database = new Database(file)
  return {
    database,
    createJournal: (options) => sqlite.createJournal(database, options),
    close: () => database.close(),
  }
}

/**
 * Prints the cause of a database failure and returns a `CommandFailed`, so that nothing else is printed. Returns any
 * other error unchanged.
 */
function reportDatabaseFailure(error: unknown, terminal: Terminal): unknown {
  const cause = error instanceof ConfigurationError ? error.cause : isMissingTable(error) ? error : undefined
  if (cause === undefined) return error
  const { message, code } = Object(cause)
  terminal.note(`--database: ${message || code}`)
  if (isMissingTable(cause)) {
    terminal.note('Create the tables with journal.migrate() or orders.migrate(), or check --schema and --table-prefix')
  }
  return new CommandFailed()
}

/** The type of a column. Databases store `json` and `flag` as text and number. */
export type ColumnType = 'text' | 'json' | 'flag' | 'boolean' | 'integer' | 'bigint' | 'double' | 'time'

export interface Column {
  readonly name: string
  readonly type: ColumnType
  readonly constraint?: string
  readonly comment?: string
}

export interface Table {
  readonly name: string
  readonly columns: readonly Column[]
  readonly indexes: readonly { readonly name: string; readonly columns: string; readonly condition?: string }[]
}

/** The differences between the SQL of PostgreSQL and that of SQLite. */
export interface Dialect {
  readonly types: Readonly<Record<ColumnType, string>>
  /** The current time in milliseconds since 1970. */
  readonly nowMs: string
  /** The current time, in the format of columns with the type `time`. */
  readonly now: string
  /** Returns the time `ms` milliseconds from now, as columns of the type `time` store it. */
  after(ms: string): string
  /** The function that creates a JSON object from names and values. */
  readonly jsonObject: string
  /** Returns a query for the strings in a JSON array. */
  elements(json: string): string
  /** Locks the selected row until the transaction ends. */
  readonly forUpdate: string
  /** Omits rows that other transactions have locked. */
  readonly skipLocked: string
  /** Returns a counter of the reads and writes in the current transaction. If it stays the same, a hook used no table. */
  readonly activity: string
}

/** Returns the SQL for a parameter. Casts it, because some libraries change the numbers and types of parameters. */
export const parameter = (number: number, type = 'text'): string =>
  type === 'text' ? `CAST($${number} AS text)` : `CAST(CAST($${number} AS text) AS ${type})`

const text = (name: string, more?: Partial<Column>): Column => ({ name, type: 'text', ...more })
const key = (name: string, comment?: string) =>
  text(name, { constraint: 'NOT NULL PRIMARY KEY', ...(comment && { comment }) })
const expiry: Column = { name: 'expires_at', type: 'time', constraint: 'NOT NULL' }

export const webhookTables: readonly Table[] = [
  {
    name: 'webhooks',
    columns: [key('key'), text('owner', { comment: 'NULL when the delivery was handled.' }), expiry],
    indexes: [{ name: 'webhooks_expiry', columns: 'expires_at' }],
  },
  {
    name: 'resources',
    columns: [
      key('resource'),
      {
        name: 'time_ms',
        type: 'double',
        constraint: 'NOT NULL',
        comment: 'Milliseconds since 1970, with microseconds as a fraction.',
      },
      { name: 'previous_ms', type: 'double' },
      expiry,
    ],
    indexes: [{ name: 'resources_expiry', columns: 'expires_at' }],
  },
]

/**
 * Returns the SQL that inserts a row into a table and returns its first column, the primary key. If the row exists, the
 * statement replaces it, or does nothing.
 */
export function insertSql(
  { types }: Dialect,
  table: string,
  columns: readonly Column[],
  conflict: 'replace' | 'nothing' = 'replace',
): string {
  const [key, ...others] = columns.map(({ name }) => name)
  const values = columns.map(({ type }, index) => parameter(index + 1, types[type]))
  const updates = others.map((name) => `${name} = excluded.${name}`)
  return `INSERT INTO ${table} (${[key, ...others]}) VALUES (${values})
    ON CONFLICT (${key}) DO ${conflict === 'replace' ? `UPDATE SET ${updates}` : 'NOTHING'} RETURNING ${key}`
}

/** The database-specific parts of a migration. */
export interface MigrationParts {
  /** Returns the quoted name of a table from its suffix. */
  table(suffix: string): string
  /** Returns the SQL that creates an index, unless it exists. `definition` is the SQL after the index's name. */
  createIndex(suffix: string, definition: string): string
  /** Returns the SQL that adds missing columns to a table. The keys of `definitions` are column names. */
  addColumns?(table: string, definitions: ReadonlyMap<string, string>): string
}

/** Returns the SQL that creates tables and their indexes, unless they exist. */
export function creationSql(
  tables: readonly Table[],
  { types }: Dialect,
  { table, createIndex, addColumns = () => '' }: MigrationParts,
): string {
  const definitionOf = ({ name, type, constraint }: Column) => [name, types[type], constraint].filter(Boolean).join(' ')
  return tables
    .flatMap(({ name, columns, indexes }) => {
      const lines = columns.map((column) => {
        const definition = `  ${definitionOf(column)}`
        return column.comment ? `  -- ${column.comment}\n${definition}` : definition
      })
      return [
        `CREATE TABLE IF NOT EXISTS ${table(name)} (\n${lines.join(',\n')}\n);\n`,
        addColumns(table(name), new Map(columns.map((column) => [column.name, definitionOf(column)]))),
        ...indexes.map(({ name: suffix, columns, condition }) =>
          createIndex(suffix, `ON ${table(name)} (${columns})${condition ? ` WHERE ${condition}` : ''}`),
        ),
      ]
    })
    .join('')
}

/**
 * Writes src/schemas/generated/normalizers.ts: for every schema of what the service sends, a function that does in plain code what the zod
 * schema says. zod stays the definition, and explains what is wrong once a guard has refused.
 *
 * `--check` writes nothing and fails when the file is out of date.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import type * as z from 'zod/mini'
import * as clientSession from '../src/schemas/client-session.js'
import * as customer from '../src/schemas/customer.js'
import * as event from '../src/schemas/event.js'
import * as externalPayment from '../src/schemas/external-payment.js'
import * as loyalty from '../src/schemas/loyalty.js'
import * as order from '../src/schemas/order.js'
import * as payment from '../src/schemas/payment.js'
import * as paymentInstrument from '../src/schemas/payment-instrument.js'
import * as paymentMethod from '../src/schemas/payment-method.js'
import * as paymentsList from '../src/schemas/payments-list.js'
import type { Schema } from '../src/schemas/schema.js'

const file = 'src/schemas/generated/normalizers.ts'

/** The answers and events that come often enough for speed to matter: everything else is read by zod itself. */
const roots = [
  'Payment',
  'PaymentV21',
  'PaymentsPage',
  'PaymentStatusEvent',
  'PaymentRefundEvent',
  'DisputeStatusEvent',
]

/** Written first, since others have the same fields and more. */
const bases = ['PaymentSummary']

const schemas: Record<string, unknown> = {
  ...clientSession,
  ...customer,
  ...event,
  ...externalPayment,
  ...loyalty,
  ...order,
  ...payment,
  ...paymentInstrument,
  ...paymentMethod,
  ...paymentsList,
}

type Def = {
  type: string
  shape: Record<string, z.ZodMiniType>
  element: z.ZodMiniType
  innerType: z.ZodMiniType
  out: z.ZodMiniType
  options: z.ZodMiniType[]
  values: unknown[]
  checks?: unknown[]
}

const names = new Map<unknown, string>()
for (const [name, schema] of Object.entries(schemas)) {
  if (typeof schema === 'object' && schema !== null && 'received' in schema)
    names.set((schema as Schema<unknown>).received, name)
}

const functions = new Map<string, string>()
/** How which fields are read, by the functions that others may fall back on. */
const parts = new Map<string, Map<string, string>>()

const defOf = (schema: z.ZodMiniType) => schema._zod.def as unknown as Def
const fieldsOf = (schema: z.ZodMiniType) => Object.entries(defOf(schema).shape)

function nameOf(schema: z.ZodMiniType, suggestion: string): string {
  const name = names.get(schema) ?? suggestion
  names.set(schema, name)
  return name
}

/** The name of the function that reads an object, written when first asked for. */
function objectGuard(schema: z.ZodMiniType, suggestion: string): string {
  const name = nameOf(schema, suggestion)
  const guard = `read${name}`
  if (functions.has(guard)) return guard
  functions.set(guard, '')
  const required = fieldsOf(schema)
    .filter(([, field]) => !isNullAsAbsent(defOf(field)))
    .map(([key, field]) => `(${valueTest(`value['${key}']`, field, name + capital(key))} || broken('${key}'))`)
  const tests = [`everyField(value, ${fieldReader(schema, name)})`, ...required]
  const exported = roots.includes(name) ? 'export ' : ''
  functions.set(guard, `${exported}function ${guard}(value: unknown): boolean {\nreturn ${tests.join(' && ')}\n}`)
  return guard
}

/** The name of a function that reads one optional field, whichever it is. Fields that are read alike stand together. */
function fieldReader(schema: z.ZodMiniType, suggestion: string): string {
  const owner = nameOf(schema, suggestion)
  const reader = `read${owner}Field`
  if (functions.has(reader)) return reader
  functions.set(reader, '')
  const optional = fieldsOf(schema).filter(([, field]) => isNullAsAbsent(defOf(field)))
  const readings = new Map(optional.map(([key, field]) => [key, fieldReading(field, owner + capital(key))]))
  const part = partOf(readings)
  if (bases.includes(owner)) parts.set(reader, readings)
  const own = [...readings].filter(([key]) => part === undefined || !parts.get(part)?.has(key))
  const alike = Map.groupBy(own, ([, reading]) => reading)
  const cases = [...alike].map(
    ([reading, entries]) => `${entries.map(([key]) => `case '${key}':`).join('\n')}\nreturn ${reading}`,
  )
  const others = part === undefined ? 'true' : `${part}(value, key)`
  const body = `switch (key) {\n${cases.join('\n')}\ndefault:\nreturn ${others}\n}`
  const parameters = `value: unknown, key: string${body.includes('fields') ? ', fields: Fields' : ''}`
  functions.set(reader, `function ${reader}(${parameters}): boolean {\n${body}\n}`)
  return reader
}

/** A function already written that reads a part of the same fields, as for a payment's row in a list. */
function partOf(readings: Map<string, string>): string | undefined {
  return [...parts].find(([, part]) => [...part].every(([key, reading]) => readings.get(key) === reading))?.[0]
}

/** How one field is read, which also puts right what is read generously. */
function fieldReading(field: z.ZodMiniType, suggestion: string): string {
  const inner = defOf(defOf(field).out).innerType
  const test = valueTest('value', inner, suggestion)
  if (isTextAsBoolean(defOf(inner))) return `${test} || asBoolean(value, key, fields)`
  return test === 'true' ? 'value !== null' : test
}

const capital = (key: string) => key[0]?.toUpperCase() + key.slice(1)

const isNullAsAbsent = (def: Def) => def.type === 'pipe' && defOf(def.out).type === 'optional'
const isTextAsBoolean = (def: Def) => def.type === 'pipe' && defOf(def.out).type === 'boolean'

function valueTest(value: string, schema: z.ZodMiniType, suggestion: string): string {
  const def = defOf(schema)
  if (isTextAsBoolean(def)) return `typeof ${value} === 'boolean'`
  switch (def.type) {
    case 'string':
      return `typeof ${value} === 'string'`
    case 'number':
      // Of what the service sends, whole numbers are all that is checked further.
      return def.checks?.length ? `Number.isSafeInteger(${value})` : `Number.isFinite(${value})`
    case 'boolean':
      return `typeof ${value} === 'boolean'`
    case 'literal':
      return `${value} === ${JSON.stringify(def.values[0])}`
    case 'unknown':
      return 'true'
    case 'array':
      return `every(${value}, ${elementGuard(def.element, suggestion)})`
    case 'union':
      return `(${def.options.map((option) => valueTest(value, option, suggestion)).join(' || ')})`
    case 'object':
      return objectTest(value, schema, suggestion)
    default:
      throw new Error(`No guard is known for ${def.type} (${suggestion})`)
  }
}

function objectTest(value: string, schema: z.ZodMiniType, suggestion: string): string {
  const fields = fieldsOf(schema)
  if (fields.length === 0) return `isObject(${value})`
  return fields.every(([, field]) => isNullAsAbsent(defOf(field)))
    ? `everyField(${value}, ${fieldReader(schema, suggestion)})`
    : `${objectGuard(schema, suggestion)}(${value})`
}

function elementGuard(element: z.ZodMiniType, suggestion: string): string {
  return defOf(element).type === 'object'
    ? objectGuard(element, suggestion)
    : `(x) => ${valueTest('x', element, suggestion)}`
}

for (const root of [...bases, ...roots]) objectGuard((schemas[root] as Schema<unknown>).received as z.ZodMiniType, root)

const text = `// Written by \`npm run generate\` from the schemas beside it: do not edit.
import { isObject } from '../../internal/objects.js'
import { asBoolean, broken, every, everyField, type Fields } from '../normalizer.js'

${[...functions.values()].join('\n\n')}
`

const formatted = execFileSync('npx', ['biome', 'format', `--stdin-file-path=${file}`], {
  input: text,
  encoding: 'utf8',
})
if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== formatted) throw new Error(`${file} is out of date: run \`npm run generate\``)
} else {
  writeFileSync(file, formatted)
}

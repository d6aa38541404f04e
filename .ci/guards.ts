/**
 * Writes src/schemas/guards.ts: for every schema of what the service sends, a function that does in plain code what the zod
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

const file = 'src/schemas/guards.ts'

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
const bases = ['PaymentSummary', 'Payment']

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
  format?: string
}

const names = new Map<unknown, string>()
for (const [name, schema] of Object.entries(schemas)) {
  if (typeof schema === 'object' && schema !== null && 'received' in schema)
    names.set((schema as Schema<unknown>).received, name)
}

const functions = new Map<string, string>()
/** The tests of each guard, its base's included. */
const allTests = new Map<string, string[]>()
const keys = new Set<string>()

const defOf = (schema: z.ZodMiniType) => schema._zod.def as unknown as Def

/** The name of the function that reads an object, written when first asked for. */
function objectGuard(schema: z.ZodMiniType, suggestion: string): string {
  const name = names.get(schema) ?? suggestion
  names.set(schema, name)
  const guard = `read${name}`
  if (functions.has(guard)) return guard
  functions.set(guard, '')
  const tests = Object.entries(defOf(schema).shape)
    .map(([key, field]) => fieldTest(key, field, name))
    .filter((test) => test !== '')
  const base = largestPart(tests)
  allTests.set(guard, tests)
  const own = base === undefined ? tests : tests.filter((test) => !allTests.get(base)?.includes(test))
  const body = [base === undefined ? 'isObject(value)' : `${base}(value)`, ...own].join(' && ')
  const variables =
    own.length === 0
      ? ''
      : `const v = value as Fields\n${own.some((test) => test.includes('(x =')) ? 'let x: unknown\n' : ''}`
  const exported = roots.includes(name) ? 'export ' : ''
  functions.set(guard, `${exported}function ${guard}(value: unknown): boolean {\n${variables}return ${body}\n}`)
  return guard
}

/** A guard already written that tests a part of the same fields, as a payment's row in a list does. */
function largestPart(tests: string[]): string | undefined {
  const parts = [...allTests].filter(([, part]) => part.length > 3 && part.every((test) => tests.includes(test)))
  return parts.sort(([, a], [, b]) => b.length - a.length)[0]?.[0]
}

/** A test for one field, which also puts right what is read generously. */
function fieldTest(key: string, field: z.ZodMiniType, owner: string): string {
  keys.add(key)
  const def = defOf(field)
  const suggestion = owner + key[0]?.toUpperCase() + key.slice(1)
  if (isNullAsAbsent(def)) {
    const inner = defOf(def.out).innerType
    const test = valueTest('x', inner, suggestion)
    if (test === 'true') return `(v.${key} !== null || orAbsent(v, '${key}'))`
    const otherwise = isTextAsBoolean(defOf(inner)) ? 'asBoolean' : 'orAbsent'
    return `((x = v.${key}) === undefined || ${test} || ${otherwise}(v, '${key}'))`
  }
  return `(${valueTest(`v.${key}`, field, suggestion)} || broken('${key}'))`
}

const isNullAsAbsent = (def: Def) => def.type === 'pipe' && defOf(def.out).type === 'optional'
const isTextAsBoolean = (def: Def) => def.type === 'pipe' && defOf(def.out).type === 'boolean'

function valueTest(value: string, schema: z.ZodMiniType, suggestion: string): string {
  const def = defOf(schema)
  if (isTextAsBoolean(def)) return `typeof ${value} === 'boolean'`
  switch (def.type) {
    case 'string':
      return `typeof ${value} === 'string'`
    case 'number':
      return def.format === 'safeint' ? `Number.isSafeInteger(${value})` : `Number.isFinite(${value})`
    case 'boolean':
      return `typeof ${value} === 'boolean'`
    case 'literal':
      return `${value} === ${JSON.stringify(def.values[0])}`
    case 'any':
    case 'unknown':
      return 'true'
    case 'array':
      return `every(${value}, ${elementGuard(def.element, suggestion)})`
    case 'union':
      return `(${def.options.map((option) => valueTest(value, option, suggestion)).join(' || ')})`
    case 'object':
      return `${objectGuard(schema, suggestion)}(${value})`
    case 'record':
    case 'custom':
      return `isObject(${value})`
    default:
      throw new Error(`No guard is known for ${def.type} (${suggestion})`)
  }
}

function elementGuard(element: z.ZodMiniType, suggestion: string): string {
  return defOf(element).type === 'object'
    ? objectGuard(element, suggestion)
    : `(x) => ${valueTest('x', element, suggestion)}`
}

for (const root of [...bases, ...roots]) objectGuard((schemas[root] as Schema<unknown>).received as z.ZodMiniType, root)

const text = `// biome-ignore-all lint/suspicious/noAssignInExpressions: each field is read once, in one expression.
// Written by \`npm run guards\` from the schemas beside it: do not edit.
import { asBoolean, broken, every, isObject, orAbsent } from './guard.js'

type Fields = { [Name in FieldName]?: unknown }

type FieldName = ${[...keys]
  .sort()
  .map((key) => `'${key}'`)
  .join(' | ')}

${[...functions.values()].join('\n\n')}
`

const formatted = execFileSync('npx', ['biome', 'format', `--stdin-file-path=${file}`], {
  input: text,
  encoding: 'utf8',
})
if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== formatted) throw new Error(`${file} is out of date: run \`npm run guards\``)
} else {
  writeFileSync(file, formatted)
}

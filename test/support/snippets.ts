import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import * as main from 'payments-client'
import * as msw from 'payments-client/msw'
import * as orders from 'payments-client/orders'
import * as sandboxEntry from 'payments-client/sandbox'
import * as schemas from 'payments-client/schemas'
import * as sqlite from 'payments-client/sqlite'
import * as webhooks from 'payments-client/webhooks'
import ts from 'typescript'
import * as shopExample from '../../examples/orders/sqlite.js'

const docs = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))

/** The pages of the documentation. */
export const pages = ['README.md', 'CHANGELOG.md', ...docs.map((name) => `docs/${name}`)]

/** A TypeScript code block in a page. */
export interface Snippet {
  readonly page: string
  /** The line number of the block's first line. */
  readonly line: number
  readonly code: string
  /** The name of the file in which the reader saves the code, for example `orders.ts`. */
  readonly file?: string | undefined
}

/** Names that code blocks use without declaring them. */
const scope = `
import type { Payment, PaymentsClient } from 'payments-client'
import type { Orders } from 'payments-client/orders'
import type { Sandbox } from 'payments-client/sandbox'
declare global {
  /** The first code block of docs/guides/orders.md creates these. */
  const orders: Orders<any>
  const pool: any
  const client: PaymentsClient
  const sandbox: Sandbox
  const payment: Payment
  const paymentMethodToken: string
  const clientToken: string
  const apiKey: string
  const baseUrl: string
  const signingSecret: string
  const rawBody: Uint8Array
  const headers: Headers
  /** The merchant's own functions. */
  const shop: any
}
`

/** Declares packages that code blocks import but that are not installed. */
const otherPackages = `
declare module 'express'
declare module 'redis'
declare module 'pg'
declare module 'pg-boss'
declare module 'bullmq'
declare module '@dbos-inc/dbos-sdk'
declare module '@restatedev/restate-sdk' {
  export type Context = any
  export const service: any, serve: any
}
declare module 'pino'
declare module 'winston'
declare module 'undici'
declare module 'https-proxy-agent'
declare module '@opentelemetry/sdk-node'
declare module '@opentelemetry/exporter-prometheus'
`

/** Returns the TypeScript code blocks in a page. */
export function snippetsIn(page: string): Snippet[] {
  const text = readFileSync(page, 'utf8')
  return [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(({ 1: code = '', index }) => {
    const before = text.slice(0, index)
    const [, file] = /Save this as `([\w-]+\.ts)`[^\n]*\n\n$/.exec(before) ?? []
    return { page, line: before.split('\n').length + 1, code, file }
  })
}

/** The compiler options of `tsconfig.json`, with the only strict option that it lacks. */
function strictestOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
  return { ...options, exactOptionalPropertyTypes: true }
}

/** Returns the type errors of code blocks, each compiled as a separate module. */
export function typeErrors(snippets: readonly Snippet[]): string[] {
  const files = new Map([
    [`${import.meta.dirname}/scope.ts`, scope],
    [`${import.meta.dirname}/packages.d.ts`, otherPackages],
    [`${import.meta.dirname}/sqlite.ts`, readFileSync('examples/orders/sqlite.ts', 'utf8')],
    ...snippets.map((snippet) => [fileOf(snippet), `${snippet.code}\nexport {}\n`] as const),
  ])
  const host = ts.createCompilerHost(strictestOptions())
  const { getSourceFile, fileExists } = host
  host.fileExists = (file) => files.has(file) || fileExists(file)
  host.getSourceFile = (file, target) => {
    const code = files.get(file)
    return code === undefined ? getSourceFile.call(host, file, target) : ts.createSourceFile(file, code, target)
  }
  return typeErrorsIn([...files.keys()], host)
}

/** Returns the type errors of files. */
export function typeErrorsIn(files: readonly string[], host?: ts.CompilerHost): string[] {
  const program = ts.createProgram(files, strictestOptions(), host)
  return files.flatMap((file) => {
    const source = program.getSourceFile(file)
    return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(explain)
  })
}

/** Returns a path in the project. Files that the reader saves keep their names, so that other code blocks can import them. */
function fileOf({ page, line, file }: Snippet): string {
  return `${import.meta.dirname}/${file ?? `${page.replace(/\W/g, '-')}.${line}.ts`}`
}

function explain({ file, start = 0, messageText }: ts.Diagnostic): string {
  const line = file?.text.slice(0, start).split('\n').at(-1)
  const end = file?.text.slice(start).split('\n')[0]
  const place = file?.fileName.replace(/.*\//, '')
  return `${place}: ${line}${end}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
}

const modules: Record<string, unknown> = {
  'payments-client': main,
  'payments-client/msw': msw,
  'payments-client/orders': orders,
  'payments-client/sandbox': sandboxEntry,
  'payments-client/schemas': schemas,
  'payments-client/sqlite': sqlite,
  'payments-client/webhooks': webhooks,
  // `npx payments-client example orders/sqlite` creates this file.
  './sqlite.ts': shopExample,
}

/** Runs a code block with a sandbox and a payment in scope. */
export async function runSnippet({ code }: Snippet): Promise<void> {
  const sandbox = sandboxEntry.createSandbox()
  const client = new main.PaymentsClient(sandbox.clientOptions())
  const order = { orderId: 'order-17', currencyCode: 'EUR', amount: 5000 }
  const { clientToken } = await client.clientSessions.create(order)
  const payment = await client.payments.create({ ...order, paymentMethodToken: sandbox.tokens.card })
  const shop = new Proxy({}, { get: () => () => undefined })
  const values = { client, sandbox, payment, clientToken, paymentMethodToken: sandbox.tokens.card, shop }
  await evaluate(code, values)
}

/** Runs TypeScript code with the given values in scope, and with further modules by name. Returns its exports. */
export async function evaluate(
  code: string,
  values: object = {},
  others: Readonly<Record<string, unknown>> = {},
): Promise<Record<string, unknown>> {
  const require = createRequire(import.meta.url)
  const load = (name: string) => others[name] ?? modules[name] ?? require(name)
  const outputText = transpiled.get(code) ?? transpile(code)
  transpiled.set(code, outputText)
  const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor
  // The braces let the code redeclare names that are parameters.
  const run = new AsyncFunction('require', 'exports', ...Object.keys(values), `{ ${outputText} }`)
  const exports = {}
  await run(load, exports, ...Object.values(values))
  return exports
}

const transpiled = new Map<string, string>()

function transpile(code: string): string {
  const compilerOptions: ts.CompilerOptions = {
    module: ts.ModuleKind.CommonJS,
    target: ts.ScriptTarget.ES2023,
    esModuleInterop: true,
    experimentalDecorators: true,
  }
  return ts.transpileModule(code, { compilerOptions }).outputText
}

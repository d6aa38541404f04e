import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { run } from '../../src/cli/run.js'
import { PaymentsClient } from '../../src/client.js'
import { createSandbox, type SandboxOptions } from '../../src/sandbox/index.js'
import { aPayment } from '../support/start-sandbox.js'
import { fakeTerminal } from './support.js'

afterEach(() => void vi.useRealTimers())

/** Starts a sandbox over HTTP with `count` payments, and creates an empty folder for the export. */
async function startService(count: number, options?: SandboxOptions) {
  const sandbox = createSandbox(options)
  const { url, close } = await sandbox.listen()
  onTestFinished(close)
  const client = new PaymentsClient(sandbox.clientOptions())
  for (let number = 0; number < count; number++) await client.payments.create(aPayment({ orderId: `order-${number}` }))
  const env = { PAYMENTS_API_KEY: sandbox.apiKey, PAYMENTS_BASE_URL: url }
  return { sandbox, client, env, out: join(temporaryFolder(), 'payments') }
}

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'export-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Makes the service stop responding after the given number of pages. */
function hangAfter(pages: number, { faults }: ReturnType<typeof createSandbox>): void {
  faults.add({ operation: 'payments.list', at: 'after', headers: { 'x-page': '1' }, times: pages })
  faults.add({ operation: 'payments.list', at: 'before', hang: true })
}

const lines = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n')
const ordersIn = (path: string): string[] => lines(path).map((line) => JSON.parse(line).orderId)
const orders = (count: number) => Array.from({ length: count }, (_, number) => `order-${number}`)

/** Resolves once the unfinished export contains the given number of payments. */
async function exported(out: string, count: number): Promise<void> {
  await vi.waitFor(() => expect(lines(`${out}.partial`)).toHaveLength(count), { timeout: 50_000 })
}

describe('payments-client payments export', () => {
  it.each([
    ['ndjson', lines],
    ['json', (path: string) => JSON.parse(readFileSync(path, 'utf8')).map((row: unknown) => JSON.stringify(row))],
  ])('writes each payment to a %s file', async (format, rowsOf) => {
    const { client, env, out } = await startService(250)
    const { output, run } = fakeTerminal({ env })

    expect(await run('payments', 'export', '--format', format, '--out', out)).toBe(0)

    const expected = await client.payments.list().toArray({ limit: 1000 })
    expect(rowsOf(out)).toEqual(expected.map((payment) => JSON.stringify(payment)))
    expect(output).toEqual([`Exported 250 payments to ${out}`])
    expect(readdirSync(join(out, '..'))).toEqual(['payments'])
  })

  it.each([
    ['csv', /^id,date,.*,metadata\r\n$/],
    ['ndjson', /^$/],
    ['json', /^\[\s*\]\s*$/],
  ])('writes a valid %s file if there are no payments', async (format, content) => {
    const { env, out } = await startService(0)
    const { output, run } = fakeTerminal({ env })

    expect(await run('payments', 'export', '--format', format, '--out', out, '--json')).toBe(0)

    expect(readFileSync(out, 'utf8')).toMatch(content)
    expect(JSON.parse(output.join())).toEqual({ file: out, payments: 0, durationMs: expect.any(Number) })
  })

  it('quotes CSV cells as RFC 4180 specifies, and escapes formulas', async () => {
    const { client, env, out } = await startService(0, { now: new Date('2026-03-01T00:00:00Z') })
    const { run } = fakeTerminal({ env })
    const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1', '=HYPERLINK("http://x.test","a,b")']
    for (const orderId of [...formulas, 'a "quoted", order\r\nin two lines', 'order-1']) {
      await client.payments.create(aPayment({ orderId, metadata: { '=key': '=value' } }))
    }

    await run('payments', 'export', '--format', 'csv', '--out', out)

    const csv = readFileSync(out, 'utf8')
    const date = '2026-03-01T00:00:00.000000'
    const [header, ...rows] = csv.split(/\r\n(?=pay_|$)/)
    expect(header).toMatch(/^id,date,dateUpdated,status,orderId,currencyCode,amount,/)
    expect(rows.map((row) => row.split(`${date},${date},AUTHORIZED,`)[1]?.split(',EUR,5000,')[0])).toEqual([
      "'=1+1",
      "'+1",
      "'-1",
      "'@SUM(A1)",
      "'\t=1",
      `"'\r=1"`,
      "'＝1",
      `"'=HYPERLINK(""http://x.test"",""a,b"")"`,
      '"a ""quoted"", order\r\nin two lines"',
      'order-1',
      undefined,
    ])
    expect(rows[0]).toMatch(/,"\{""=key"":""=value""\}"$/)
  })

  it('exports a payment from midnight on April 1 with the payments of April, not of March', async () => {
    const { client, env, out, sandbox } = await startService(1, { now: new Date('2026-03-31T23:59:59.999Z') })
    const { run } = fakeTerminal({ env })
    await sandbox.clock.advance(1)
    await client.payments.create(aPayment({ orderId: 'order-of-april' }))

    const month = (from: string, before: string) => ['--from-date', from, '--before', before, '--out', out]
    await run('payments', 'export', '--format', 'ndjson', ...month('2026-03-01', '2026-04-01'))
    const march = ordersIn(out)
    await run('payments', 'export', '--format', 'ndjson', ...month('2026-04-01', '2026-05-01'))

    expect(march).toEqual(['order-0'])
    expect(ordersIn(out)).toEqual(['order-of-april'])
  })

  it.each([
    [['--format', 'xml', '--out', 'x'], 'Allowed choices are csv, ndjson, json'],
    [['--format', 'csv'], "required option '--out <file>' not specified"],
    [['--out', 'x'], "required option '--format <format>' not specified"],
    [['--format', 'csv', '--out', 'src'], '--out must be a file'],
    [['--format', 'csv', '--out', ''], '--out is empty: pass the name of the file to write'],
    [['--format', 'csv', '--out', 'x', '--before', '2026-04-01', '--to-date', '2026-04-01'], 'cannot be used with'],
    [['--format', 'csv', '--out', 'x', '--before', '2026-04-01T00:00:00.0000001'], 'without microseconds'],
  ])('rejects the options %j', async (args, message) => {
    const { notes, run } = fakeTerminal({ env: { PAYMENTS_API_KEY: 'key', PAYMENTS_BASE_URL: 'https://api.test' } })

    expect(await run('payments', 'export', ...args)).toBe(2)
    expect(notes.join('\n')).toContain(message)
  })

  it.each([
    [['--currency-code', 'euro'], {}, 2, '--currency-code must'],
    [[], { PAYMENTS_API_KEY: 'a-wrong-key' }, 1, '401'],
  ])(
    'leaves no files if the first request fails: arguments %j, environment %j',
    async (args, changes, code, message) => {
      const { env, out } = await startService(0)
      const { notes, run } = fakeTerminal({ env: { ...env, ...changes } })

      expect(await run('payments', 'export', '--format', 'csv', '--out', out, ...args)).toBe(code)
      expect(notes.join()).toContain(message)
      expect(readdirSync(join(out, '..'))).toEqual([])
    },
  )
})

describe('payments-client payments export --resume', () => {
  it.each(['csv', 'ndjson', 'json'])('continues an interrupted export to a %s file', async (format) => {
    const { env, out, sandbox } = await startService(450)
    const first = fakeTerminal({ env })
    hangAfter(2, sandbox)

    const code = first.run('payments', 'export', '--format', format, '--out', out)
    await vi.waitFor(() => expect(readFileSync(`${out}.partial`, 'utf8')).toContain('"order-199"'.slice(1, -1)), 10_000)
    first.interrupt()

    expect(await code).toBe(130)
    expect(first.notes).toEqual(['Stopped after 200 payments. To continue, run the command with --resume'])
    expect(existsSync(out)).toBe(false)

    expect(await fakeTerminal({ env }).run('payments', 'export', '--format', format, '--out', out, '--resume')).toBe(0)
    expect(readFileSync(out, 'utf8').match(/order-\d+/g)).toEqual(orders(450))
    if (format === 'json') expect(JSON.parse(readFileSync(out, 'utf8'))).toHaveLength(450)
    expect(readdirSync(join(out, '..'))).toEqual(['payments'])
  })

  it('continues after the process is killed during a write', { timeout: 60_000 }, async () => {
    const { env, out, sandbox } = await startService(450)
    hangAfter(2, sandbox)
    const process = startProcess(env, 'payments', 'export', '--format', 'ndjson', '--out', out)
    await exported(out, 200)
    process.kill('SIGKILL')
    await once(process, 'exit')
    appendFileSync(`${out}.partial`, '{"id":"pay_incomp')
    appendFileSync(`${out}.checkpoint`, '{"cursor":"on.400.')

    const { run } = fakeTerminal({ env })
    const code = await run('payments', 'export', '--format', 'ndjson', '--out', out, '--resume')

    expect(code).toBe(0)
    expect(ordersIn(out)).toEqual(orders(450))
  })

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'continues after the process receives %s',
    { timeout: 60_000 },
    async (signal) => {
      const { env, out, sandbox } = await startService(250)
      hangAfter(1, sandbox)
      const process = startProcess(env, 'payments', 'export', '--format', 'ndjson', '--out', out)
      await exported(out, 100)
      process.kill(signal)

      expect(await once(process, 'exit')).toEqual([130, null])
      await fakeTerminal({ env }).run('payments', 'export', '--format', 'ndjson', '--out', out, '--resume')
      expect(ordersIn(out)).toEqual(orders(250))
    },
  )

  it('continues an export after the request for a page failed', async () => {
    const { env, out, sandbox } = await startService(250)
    const { notes, run } = fakeTerminal({ env })
    sandbox.faults.add({ operation: 'payments.list', at: 'after', headers: { 'x-page': '1' } })
    sandbox.faults.add({ operation: 'payments.list', status: 403 })

    expect(await run('payments', 'export', '--format', 'ndjson', '--out', out)).toBe(1)
    expect(notes).toEqual([expect.stringContaining('--resume'), expect.stringContaining('403')])

    expect(await run('payments', 'export', '--format', 'ndjson', '--out', out, '--resume')).toBe(0)
    expect(ordersIn(out)).toEqual(orders(250))
  })

  it('starts from the first payment if no export was interrupted', async () => {
    const { env, out } = await startService(2)
    const { notes, run } = fakeTerminal({ env })

    expect(await run('payments', 'export', '--format', 'ndjson', '--out', out, '--resume')).toBe(0)

    expect(notes).toEqual([expect.stringContaining('starting from the beginning')])
    expect(ordersIn(out)).toEqual(orders(2))
  })

  it('rejects options that differ from those of the interrupted export', async () => {
    const { env, out, sandbox } = await startService(150)
    const first = fakeTerminal({ env })
    hangAfter(1, sandbox)
    const code = first.run('payments', 'export', '--format', 'ndjson', '--out', out, '--min-amount', '1')
    await exported(out, 100)
    first.interrupt()
    await code

    const { notes, run } = fakeTerminal({ env })
    expect(await run('payments', 'export', '--format', 'csv', '--out', out, '--resume')).toBe(2)
    expect(notes).toEqual([expect.stringContaining('other values for format, minAmount: pass the same values')])
  })

  it('continues an export even if the interrupted command is still running', async () => {
    const { env, out, sandbox } = await startService(450)
    const first = fakeTerminal({ env })
    const second = fakeTerminal({ env })
    hangAfter(1, sandbox)
    const firstCode = first.run('payments', 'export', '--format', 'ndjson', '--out', out)
    await exported(out, 100)
    hangAfter(2, sandbox)
    const secondCode = second.run('payments', 'export', '--format', 'ndjson', '--out', out, '--resume')
    await exported(out, 200)

    first.interrupt()
    await firstCode
    second.interrupt()
    await secondCode
    await fakeTerminal({ env }).run('payments', 'export', '--format', 'ndjson', '--out', out, '--resume')

    expect(ordersIn(out)).toEqual(orders(450))
  })
})

describe('the exclusive lock of payments-client payments export', () => {
  const argsFor = (out: string, format = 'ndjson') => ['payments', 'export', '--format', format, '--out', out]

  it('N39 rejects a second export to the same file while the first is running', async () => {
    const { env, out, sandbox } = await startService(250)
    hangAfter(1, sandbox)
    const first = fakeTerminal({ env })
    const firstCode = first.run(...argsFor(out))
    await exported(out, 100)

    const second = fakeTerminal({ env })
    expect(await second.run(...argsFor(out))).toBe(2)

    expect(second.notes.join()).toContain(`Another process exports to ${out}`)
    expect(ordersIn(`${out}.partial`)).toEqual(orders(100))
    first.interrupt()
    await firstCode
    expect(await fakeTerminal({ env }).run(...argsFor(out), '--resume')).toBe(0)
    expect(ordersIn(out)).toEqual(orders(250))
  })

  it('N39 lets at most one of two exports that start at the same time succeed', { timeout: 60_000 }, async () => {
    const { env, out } = await startService(250)
    const processes = [startProcess(env, ...argsFor(out, 'json')), startProcess(env, ...argsFor(out, 'json'))]

    const codes = await Promise.all(processes.map(async (process) => (await once(process, 'exit'))[0]))

    // Both succeed if the first has already finished when the second starts.
    expect(codes.sort()).toEqual(expect.arrayContaining([0]))
    expect(codes.every((code) => code === 0 || code === 2)).toBe(true)
    const rows: { orderId: string }[] = JSON.parse(readFileSync(out, 'utf8'))
    expect(rows.map(({ orderId }) => orderId)).toEqual(orders(250))
    expect(readdirSync(join(out, '..'))).toEqual(['payments'])
  })

  it('N39 stops an export whose lock another process took over', async () => {
    const { env, out, sandbox } = await startService(250)
    hangAfter(1, sandbox)
    const first = fakeTerminal({ env })
    const firstCode = first.run(...argsFor(out))
    await exported(out, 100)
    sandbox.faults.clear()

    expect(await fakeTerminal({ env }).run(...argsFor(out), '--resume')).toBe(0)
    first.interrupt()

    expect(await firstCode).not.toBe(0)
    expect(ordersIn(out)).toEqual(orders(250))
    expect(readdirSync(join(out, '..'))).toEqual(['payments'])
  })

  it.each(['the ID of a process that ended', ''])('N39 ignores a lock file with the content %j', async (content) => {
    const { env, out } = await startService(2)
    const ended = spawn(process.execPath, ['--version'])
    await once(ended, 'exit')
    writeFileSync(`${out}.lock`, content && `${ended.pid} a-token`)

    expect(await fakeTerminal({ env }).run(...argsFor(out))).toBe(0)

    expect(readdirSync(join(out, '..'))).toEqual(['payments'])
  })
})

it('N39 an export that fails after its last write can be continued', async () => {
  const { env, out } = await startService(3)
  const args = ['payments', 'export', '--format', 'json', '--out', out]
  // The disk fails once, after the end of the file was written.
  const { fdatasyncSync } = fs
  const failAtEnd = (file: number) => {
    if (readFileSync(`${out}.partial`, 'utf8').endsWith(']\n')) {
      replaceSync(fdatasyncSync)
      throw Object.assign(new Error('EIO'), { syscall: 'fsync' })
    }
    fdatasyncSync(file)
  }
  replaceSync(failAtEnd)
  onTestFinished(() => replaceSync(fdatasyncSync))

  expect(await fakeTerminal({ env }).run(...args)).toBe(1)
  replaceSync(fdatasyncSync)
  expect(await fakeTerminal({ env }).run(...args, '--resume')).toBe(0)

  expect(JSON.parse(readFileSync(out, 'utf8'))).toHaveLength(3)
})

function replaceSync(fdatasyncSync: typeof fs.fdatasyncSync): void {
  fs.fdatasyncSync = fdatasyncSync
  syncBuiltinESMExports()
}

describe('payments-client payments export while the list changes', () => {
  it('starts from the beginning again if the cursor has expired', async () => {
    const { env, out, sandbox } = await startService(450)
    const { run } = fakeTerminal({ env })
    sandbox.faults.add({ operation: 'payments.list', at: 'after', headers: { 'x-page': '1' }, times: 2 })
    sandbox.faults.add({ operation: 'payments.list', status: 410 })

    expect(await run('payments', 'export', '--format', 'ndjson', '--out', out)).toBe(0)
    expect(ordersIn(out)).toEqual(orders(450))
  })

  it('fails if the service rejects every cursor', async () => {
    const { env, out } = await startList((cursor) =>
      cursor === undefined ? { data: [{ id: 'a' }], nextCursor: '1' } : 400,
    )
    const { notes, run } = fakeTerminal({ env })

    expect(await run('payments', 'export', '--format', 'ndjson', '--out', out)).toBe(1)
    expect(notes.at(-1)).toContain('400')
  })

  it('exports each payment once while new payments are added', async () => {
    // Lists the newest payment first. Cursors are offsets, so a new payment moves the others towards the next page.
    const ids = Array.from({ length: 30 }, (_, number) => `old-${number}`)
    const { env, out } = await startList((cursor = '0') => {
      const start = Number(cursor)
      if (start > 0 && ids.length < 32) ids.unshift(`new-${ids.length}`)
      const data = ids.slice(start, start + 10).map((id) => ({ id }))
      return start + 10 < ids.length ? { data, nextCursor: String(start + 10) } : { data }
    })
    const { run } = fakeTerminal({ env })

    expect(await run('payments', 'export', '--format', 'ndjson', '--out', out)).toBe(0)

    const found = lines(out).map((line) => JSON.parse(line).id)
    expect(ids).toHaveLength(32)
    expect(found.sort()).toEqual(ids.sort())
  })

  it('exports payments without a valid date even if --before is given', async () => {
    const dates = [undefined, 'soon', '2026-03-31T23:59:59Z', '2026-04-01']
    const { env, out } = await startList(() => ({
      data: dates.map((date, number) => ({ id: `pay_${number}`, orderId: `order-${number}`, date })),
    }))
    const { run } = fakeTerminal({ env })

    expect(await run('payments', 'export', '--format', 'ndjson', '--before', '2026-04-01', '--out', out)).toBe(0)

    expect(ordersIn(out)).toEqual(['order-0', 'order-1', 'order-2'])
  })

  /** Serves a list from a function that returns a page or an error status. */
  async function startList(page: (cursor: string | undefined) => object | number) {
    const server = createServer((request, response) => {
      const cursor = new URL(request.url ?? '', 'http://service').searchParams.get('cursor') ?? undefined
      const result = page(cursor)
      response.writeHead(typeof result === 'number' ? result : 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(result))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    onTestFinished(() => server.close().closeAllConnections())
    const { port } = server.address() as { port: number }
    const env = { PAYMENTS_API_KEY: 'key', PAYMENTS_BASE_URL: `http://127.0.0.1:${port}` }
    return { env, out: join(temporaryFolder(), 'payments') }
  }
})

describe('the progress output of payments-client payments export', () => {
  it.each([
    ['redraws one line on a terminal', 100, true],
    ['prints a line every 10 seconds without a terminal', 10_000, false],
  ])('%s', async (_, intervalMs, isTerminal) => {
    const { env, out, sandbox } = await startService(150)
    const { interrupt, notes, terminal } = fakeTerminal({ env })
    const redrawn: string[] = []
    const redraw = isTerminal ? (line: string) => void redrawn.push(line) : undefined
    hangAfter(1, sandbox)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })

    const code = run(['payments', 'export', '--format', 'ndjson', '--out', out], { ...terminal, redraw })
    await exported(out, 100)
    vi.advanceTimersByTime(intervalMs)
    const shown = [...(isTerminal ? redrawn : notes)]
    interrupt()
    await code

    expect(shown.at(-1)).toMatch(/^100 payments {2}[\d,]+\/s {2}0:\d\d$/)
    expect(redrawn.at(-1)).toBe(isTerminal ? '' : undefined)
  })
})

/** Runs the command in a separate process. */
function startProcess(env: Record<string, string>, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...args], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

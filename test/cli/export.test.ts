import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { run } from '../../src/cli/run.js'
import type { SandboxOptions } from '../../src/testing/index.js'
import { bundled } from '../support/bundle.js'
import { listen } from '../support/listen.js'
import { fakeTerminal, startService } from './support.js'

afterEach(() => void vi.useRealTimers())

/** Returns functions that export the payments of a service to a file in an empty folder, as NDJSON by default. */
function exportsFrom(env: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'export-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const out = join(folder, 'payments')
  const args = ['payments', 'export', '--format', 'ndjson', '--out', out]
  return {
    out,
    args,
    filesIn: () => readdirSync(folder),
    /** Runs the command in its own terminal. */
    start(...more: string[]) {
      const terminal = fakeTerminal({ env })
      return { ...terminal, code: terminal.run(...args, ...more) }
    },
    /** Runs the command in its own process. */
    async startProcess(...more: string[]): Promise<ChildProcess> {
      const command = [await bundled('src/cli/main.ts'), ...args, ...more]
      const child = spawn(process.execPath, command, {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'ignore', 'pipe'],
      })
      onTestFinished(() => void child.kill('SIGKILL'))
      return child
    },
    /** Resolves when the unfinished export contains the given number of payments. */
    reached: (count: number) => vi.waitFor(() => expect(lines(`${out}.partial`)).toHaveLength(count)),
  }
}

/** Starts a service with `count` payments. */
async function startExport(count: number, options?: SandboxOptions) {
  const service = await startService(orders(count), options)
  /** Makes the service stop responding after the given number of pages. */
  const hangAfter = (pages: number) => {
    const { faults } = service.sandbox
    faults.add({ operation: 'payments.list', at: 'after', headers: { 'x-page': '1' }, times: pages })
    faults.add({ operation: 'payments.list', at: 'before', hang: true })
  }
  return { ...service, ...exportsFrom(service.env), hangAfter }
}

/** Serves a list from a function that returns a page or an error status. */
async function startList(page: (cursor: string | undefined) => object | number | Promise<object>) {
  const server = createServer(async (request, response) => {
    const cursor = new URL(request.url ?? '', 'http://service').searchParams.get('cursor') ?? undefined
    const result = await page(cursor)
    response.writeHead(typeof result === 'number' ? result : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(result))
  })
  return exportsFrom({ PAYMENTS_API_KEY: 'key', PAYMENTS_BASE_URL: `http://127.0.0.1:${await listen(server)}` })
}

const lines = (path: string) => readFileSync(path, 'utf8').trimEnd().split('\n')
const ordersIn = (path: string): string[] => lines(path).map((line) => JSON.parse(line).orderId)
const orders = (count: number) => Array.from({ length: count }, (_, number) => `order-${number}`)

describe('payments-client payments export', () => {
  it.each([
    ['ndjson', lines],
    ['json', (path: string) => JSON.parse(readFileSync(path, 'utf8')).map((row: unknown) => JSON.stringify(row))],
  ])('writes each payment to a %s file', async (format, rowsOf) => {
    const { client, filesIn, out, start } = await startExport(250)

    const { code, output } = start('--format', format)

    expect(await code).toBe(0)
    const expected = await client.payments.list().toArray({ limit: 1000 })
    expect(rowsOf(out)).toEqual(expected.map((payment) => JSON.stringify(payment)))
    expect(output).toEqual([`Exported 250 payments to ${out}`])
    expect(filesIn()).toEqual(['payments'])
  })

  it('prints the number of exported payments', async () => {
    const { out, start } = await startExport(1)

    const { code, output } = start()

    expect(await code).toBe(0)
    expect(output).toEqual([`Exported 1 payment to ${out}`])
  })

  it.each([
    ['csv', /^id,date,.*,metadata\r\n$/],
    ['ndjson', /^$/],
    ['json', /^\[\s*\]\s*$/],
  ])('writes a valid %s file if there are no payments', async (format, content) => {
    const { out, start } = await startExport(0)

    const { code, output } = start('--format', format, '--json')

    expect(await code).toBe(0)
    expect(readFileSync(out, 'utf8')).toMatch(content)
    expect(JSON.parse(output.join())).toEqual({ file: out, payments: 0, durationMs: expect.any(Number) })
  })

  it('quotes CSV cells as RFC 4180 specifies, and escapes formulas', async () => {
    const { create, out, start } = await startExport(0, { now: new Date('2026-03-01T00:00:00Z') })
    const formulas = ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1', '＝1', '=HYPERLINK("http://x.test","a,b")']
    for (const orderId of [...formulas, 'a "quoted", order\r\nin two lines', 'order-1']) {
      await create(orderId, { metadata: { '=key': '=value' } })
    }

    await start('--format', 'csv').code

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

  it('exports a payment made at midnight on April 1 with the April payments', async () => {
    const { create, out, sandbox, start } = await startExport(1, { now: new Date('2026-03-31T23:59:59.999Z') })
    await sandbox.clock.advance(1)
    await create('order-of-april')

    await start('--from-date', '2026-03-01', '--before', '2026-04-01').code
    const march = ordersIn(out)
    await start('--from-date', '2026-04-01', '--before', '2026-05-01').code

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
    'creates no files if the first request fails: arguments %j, environment %j',
    async (args, changes, code, message) => {
      const { env } = await startService()
      const { filesIn, start } = exportsFrom({ ...env, ...changes })

      const first = start(...args)

      expect(await first.code).toBe(code)
      expect(first.notes.join()).toContain(message)
      expect(filesIn()).toEqual([])
    },
  )
})

describe('payments-client payments export --resume', () => {
  it.each(['csv', 'ndjson', 'json'])('continues an interrupted export to a %s file', async (format) => {
    const { filesIn, hangAfter, out, start } = await startExport(450)
    hangAfter(2)

    const first = start('--format', format)
    await vi.waitFor(() => expect(readFileSync(`${out}.partial`, 'utf8')).toContain('order-199'))
    first.interrupt()

    expect(await first.code).toBe(130)
    expect(first.notes).toEqual(['Stopped after 200 payments. To continue, run the command with --resume'])
    expect(existsSync(out)).toBe(false)

    expect(await start('--format', format, '--resume').code).toBe(0)
    expect(readFileSync(out, 'utf8').match(/order-\d+/g)).toEqual(orders(450))
    if (format === 'json') expect(JSON.parse(readFileSync(out, 'utf8'))).toHaveLength(450)
    expect(filesIn()).toEqual(['payments'])
  })

  it('continues after the process is killed during a write', async () => {
    const { hangAfter, out, reached, start, startProcess } = await startExport(450)
    hangAfter(2)
    const process = await startProcess()
    await reached(200)
    process.kill('SIGKILL')
    await once(process, 'exit')
    appendFileSync(`${out}.partial`, '{"id":"pay_incomp')
    appendFileSync(`${out}.checkpoint`, '{"cursor":"on.400.')

    expect(await start('--resume').code).toBe(0)

    expect(ordersIn(out)).toEqual(orders(450))
  })

  const signals = ['SIGINT', 'SIGTERM'] as const
  it.each(signals)('continues after the process receives %s', async (signal) => {
    const { hangAfter, out, reached, start, startProcess } = await startExport(250)
    hangAfter(1)
    const process = await startProcess()
    await reached(100)
    process.kill(signal)

    expect(await once(process, 'exit')).toEqual([130, null])
    await start('--resume').code
    expect(ordersIn(out)).toEqual(orders(250))
  })

  it('continues an export after the request for a page failed', async () => {
    const { out, sandbox, start } = await startExport(250)
    sandbox.faults.add({ operation: 'payments.list', at: 'after', headers: { 'x-page': '1' } })
    sandbox.faults.add({ operation: 'payments.list', status: 403 })

    const { code, notes } = start()

    expect(await code).toBe(1)
    expect(notes).toEqual([expect.stringContaining('--resume'), expect.stringContaining('403')])
    expect(await start('--resume').code).toBe(0)
    expect(ordersIn(out)).toEqual(orders(250))
  })

  it('starts from the first payment if no interrupted export exists', async () => {
    const { out, start } = await startExport(2)

    const { code, notes } = start('--resume')

    expect(await code).toBe(0)
    expect(notes).toEqual([expect.stringContaining('starting from the beginning')])
    expect(ordersIn(out)).toEqual(orders(2))
  })

  it('rejects options that differ from the interrupted export’s options', async () => {
    const { hangAfter, reached, start } = await startExport(150)
    hangAfter(1)
    const first = start('--min-amount', '1')
    await reached(100)
    first.interrupt()
    await first.code

    const { code, notes } = start('--format', 'csv', '--resume')

    expect(await code).toBe(2)
    expect(notes).toEqual([expect.stringContaining('other values for format, minAmount: pass the same values')])
  })

  it('takes over an export from a command that is still running', async () => {
    const { hangAfter, out, reached, start } = await startExport(450)
    hangAfter(1)
    const first = start()
    await reached(100)
    hangAfter(2)
    const second = start('--resume')
    await reached(200)

    first.interrupt()
    await first.code
    second.interrupt()
    await second.code
    await start('--resume').code

    expect(ordersIn(out)).toEqual(orders(450))
  })
})

describe('the exclusive lock of payments-client payments export', () => {
  it('rejects a second export to the same file while the first is running', async () => {
    const { hangAfter, out, reached, start } = await startExport(250)
    hangAfter(1)
    const first = start()
    await reached(100)

    const second = start()

    expect(await second.code).toBe(1)
    expect(second.notes.join()).toContain(`Another process exports to ${out}`)
    expect(ordersIn(`${out}.partial`)).toEqual(orders(100))
    first.interrupt()
    await first.code
    expect(await start('--resume').code).toBe(0)
    expect(ordersIn(out)).toEqual(orders(250))
  })

  it('allows at most one of two simultaneous exports', async () => {
    const { filesIn, out, startProcess } = await startExport(250)
    const processes = await Promise.all([startProcess('--format', 'json'), startProcess('--format', 'json')])

    const results = await Promise.all(
      processes.map(async (process) => {
        const [[code], notes] = await Promise.all([once(process, 'exit'), text(process.stderr as Readable)])
        return notes.includes(`Another process exports to ${out}`) ? `rejected with ${code}` : code
      }),
    )

    // Both exports succeed if the first export has already finished when the second starts.
    expect([0, 'rejected with 1']).toEqual(expect.arrayContaining(results))
    expect(results).toContain(0)
    const rows: { orderId: string }[] = JSON.parse(readFileSync(out, 'utf8'))
    expect(rows.map(({ orderId }) => orderId)).toEqual(orders(250))
    expect(filesIn()).toEqual(['payments'])
  })

  it('stops an export whose lock another process took over', async () => {
    const { filesIn, hangAfter, out, reached, sandbox, start } = await startExport(250)
    hangAfter(1)
    const first = start()
    await reached(100)
    sandbox.faults.clear()

    expect(await start('--resume').code).toBe(0)
    first.interrupt()

    expect(await first.code).not.toBe(0)
    expect(ordersIn(out)).toEqual(orders(250))
    expect(filesIn()).toEqual(['payments'])
  })

  it('exits with code 1 if another process took over the export', async () => {
    let release = () => {}
    const held = [new Promise<void>((resolve) => (release = resolve))]
    const { out, reached, start } = await startList(async (cursor) => {
      if (cursor === undefined) return { data: [{ id: 'a', orderId: 'order-0' }], nextCursor: '1' }
      await held.shift()
      return { data: [{ id: 'b', orderId: 'order-1' }] }
    })
    const first = start()
    await reached(1)
    expect(await start('--resume').code).toBe(0)

    release()

    expect(await first.code).toBe(1)
    expect(first.notes.at(-1)).toContain('Another process continues the export')
    expect(ordersIn(out)).toEqual(orders(2))
  })

  it('rejects a second export also on a file system without hard links', async () => {
    const { hangAfter, reached, start } = await startExport(250)
    const { linkSync } = fs
    replaceSync({
      linkSync: () => {
        throw Object.assign(new Error('EPERM'), { code: 'EPERM' })
      },
    })
    onTestFinished(() => replaceSync({ linkSync }))
    hangAfter(1)
    const first = start()
    await reached(100)

    expect(await start().code).toBe(1)

    first.interrupt()
    expect(await first.code).toBe(130)
  })

  it.each(['the ID of a process that ended', ''])('ignores a lock file with the content %j', async (content) => {
    const { filesIn, out, start } = await startExport(2)
    const ended = spawn(process.execPath, ['--version'])
    await once(ended, 'exit')
    writeFileSync(`${out}.lock`, content && `${ended.pid} a-token`)

    expect(await start().code).toBe(0)

    expect(filesIn()).toEqual(['payments'])
  })
})

it('payments-client payments export --resume finishes a completely written export', async () => {
  const { out, start } = await startExport(3)
  // The disk fails once, after the end of the file was written.
  const { fdatasyncSync } = fs
  const failAtEnd = (file: number) => {
    if (readFileSync(`${out}.partial`, 'utf8').endsWith(']\n')) {
      replaceSync({ fdatasyncSync })
      throw Object.assign(new Error('EIO'), { syscall: 'fsync' })
    }
    fdatasyncSync(file)
  }
  replaceSync({ fdatasyncSync: failAtEnd })
  onTestFinished(() => replaceSync({ fdatasyncSync }))

  expect(await start('--format', 'json').code).toBe(1)
  expect(await start('--format', 'json', '--resume').code).toBe(0)

  expect(JSON.parse(readFileSync(out, 'utf8'))).toHaveLength(3)
})

function replaceSync(functions: Partial<typeof fs>): void {
  Object.assign(fs, functions)
  syncBuiltinESMExports()
}

describe('payments-client payments export while the list changes', () => {
  it('reads the list from the beginning again if the cursor has expired', async () => {
    const { out, sandbox, start } = await startExport(450)
    sandbox.faults.add({ operation: 'payments.list', at: 'after', headers: { 'x-page': '1' }, times: 2 })
    sandbox.faults.add({ operation: 'payments.list', status: 410 })

    expect(await start().code).toBe(0)
    expect(ordersIn(out)).toEqual(orders(450))
  })

  it('fails if the service rejects every cursor', async () => {
    const { start } = await startList((cursor) =>
      cursor === undefined ? { data: [{ id: 'a' }], nextCursor: '1' } : 400,
    )

    const { code, notes } = start()

    expect(await code).toBe(1)
    expect(notes.at(-1)).toContain('400')
  })

  it('exports each payment once while new payments are added', async () => {
    // Lists the newest payment first. Cursors are offsets, so a new payment moves all other payments towards the next
    // page.
    const ids = Array.from({ length: 30 }, (_, number) => `old-${number}`)
    const { out, start } = await startList((cursor = '0') => {
      const first = Number(cursor)
      if (first > 0 && ids.length < 32) ids.unshift(`new-${ids.length}`)
      const data = ids.slice(first, first + 10).map((id) => ({ id }))
      return first + 10 < ids.length ? { data, nextCursor: String(first + 10) } : { data }
    })

    expect(await start().code).toBe(0)

    const found = lines(out).map((line) => JSON.parse(line).id)
    expect(ids).toHaveLength(32)
    expect(found.sort()).toEqual(ids.sort())
  })

  it('exports payments without a valid date even if --before is given', async () => {
    const dates = [undefined, 'soon', '2026-03-31T23:59:59Z', '2026-04-01']
    const { out, start } = await startList(() => ({
      data: dates.map((date, number) => ({ id: `pay_${number}`, orderId: `order-${number}`, date })),
    }))

    expect(await start('--before', '2026-04-01').code).toBe(0)

    expect(ordersIn(out)).toEqual(['order-0', 'order-1', 'order-2'])
  })
})

describe('the progress output of payments-client payments export', () => {
  it.each([
    ['redraws one line on a terminal', 100, true],
    ['prints a line every 10 seconds without a terminal', 10_000, false],
  ])('%s', async (_, intervalMs, isTerminal) => {
    const { args, hangAfter, interrupt, notes, reached, terminal } = await startExport(150)
    const redrawn: string[] = []
    const redraw = isTerminal ? (line: string) => void redrawn.push(line) : undefined
    hangAfter(1)
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })

    const code = run(args, { ...terminal, redraw })
    await reached(100)
    vi.advanceTimersByTime(intervalMs)
    const shown = [...(isTerminal ? redrawn : notes)]
    interrupt()
    await code

    expect(shown.at(-1)).toMatch(/^100 payments {2}[\d,]+\/s {2}0:\d\d$/)
    expect(redrawn.at(-1)).toBe(isTerminal ? '' : undefined)
  })
})

import { describe, expect, it, vi } from 'vitest'
import { decodeText, parseJson, readText, UnreadableBody } from '../../src/transport/http/body.js'

/** Why a body cannot be read. */
async function reasonOf(read: () => unknown): Promise<string> {
  try {
    await read()
  } catch (error) {
    expect(error).toBeInstanceOf(UnreadableBody)
    return (error as UnreadableBody).reason
  }
  throw new Error('the body was read')
}

/** An answer whose body comes in these parts. */
function anAnswer(...parts: Uint8Array[]): { response: Response; cancel: () => unknown } {
  const cancel = vi.fn()
  const rest = [...parts]
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = rest.shift()
      if (part === undefined) controller.close()
      else controller.enqueue(part)
    },
    cancel,
  })
  return { response: new Response(stream), cancel }
}

const bytes = (text: string) => new TextEncoder().encode(text)

describe('the body of an answer', () => {
  it('is put together from its parts, wherever they are cut', async () => {
    const [before, behind] = [bytes('{"name":"Zoë"}').subarray(0, 12), bytes('{"name":"Zoë"}').subarray(12)]

    expect(await readText(anAnswer(before, behind).response, 100)).toBe('{"name":"Zoë"}')
  })

  it('is no text where there is none', async () => {
    expect(await readText(new Response(null), 100)).toBe('')
    expect(await readText(anAnswer().response, 100)).toBe('')
  })

  it('may be as large as allowed, and not a byte larger', async () => {
    const parts = [bytes('12345'), bytes('67890')]

    expect(await readText(anAnswer(...parts).response, 10)).toBe('1234567890')
    expect(await reasonOf(() => readText(anAnswer(...parts).response, 9))).toBe('too-large')
  })

  it.each([
    ['in the middle', [Uint8Array.of(0x61, 0xff), bytes('b')]],
    ['at the end, where a letter is cut', [bytes('Zoë').subarray(0, 3)]],
  ])('is refused when it is no UTF-8 %s', async (_where, parts) => {
    expect(await reasonOf(() => readText(anAnswer(...parts).response, 100))).toBe('not-utf-8')
  })

  it('is let go as soon as it cannot be used', async () => {
    const { response, cancel } = anAnswer(bytes('12345'), bytes('67890'), bytes('…'))

    await reasonOf(() => readText(response, 4))

    expect(cancel).toHaveBeenCalledOnce()
  })

  it('fails as its connection does', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) })

    await expect(readText(new Response(broken), 100)).rejects.toThrow('reset')
  })
})

describe('bytes that are all there', () => {
  it('are text when they are UTF-8', async () => {
    expect(decodeText(bytes('Zoë'))).toBe('Zoë')
    expect(await reasonOf(() => decodeText(Uint8Array.of(0x61, 0xff)))).toBe('not-utf-8')
  })
})

describe('the JSON of an answer', () => {
  const nested = (depth: number, before: string, behind: string) =>
    `${before}${'['.repeat(depth)}1${']'.repeat(depth)}${behind}`

  it('is parsed', () => {
    expect(parseJson('{"id":"pay_1"}')).toEqual({ id: 'pay_1' })
  })

  it.each(['', ' ', '\r\n\t'])('is missing where there is nothing but white space: %j', async (text) => {
    expect(await reasonOf(() => parseJson(text))).toBe('empty')
  })

  it.each(['{', 'null null', '<html>', '{"id":"pay_'])('is none: %j', async (text) => {
    expect(await reasonOf(() => parseJson(text))).toBe('not-json')
  })

  it('may be 499 deep, wherever that begins', () => {
    for (let index = 0; index < 500; index++) {
      expect(parseJson(nested(499, `["${'x'.repeat(index)}",`, ' ]'))).toHaveLength(2)
    }
  })

  it('must not be 500 deep, wherever that begins', async () => {
    for (let index = 0; index < 500; index++) {
      expect(await reasonOf(() => parseJson(nested(500, `["${'x'.repeat(index)}",`, ' ]')))).toBe('too-deep')
    }
  })

  it('must not end in 500 brackets, even where none begins', async () => {
    for (let index = 0; index < 500; index++) {
      expect(await reasonOf(() => parseJson(`${' '.repeat(index)}${']'.repeat(500)}`))).toBe('too-deep')
    }
  })

  it('must not be deep in objects either, nor in both', async () => {
    expect(await reasonOf(() => parseJson(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`))).toBe('too-deep')
    expect(await reasonOf(() => parseJson(`${'[{"a":'.repeat(250)}1${'}]'.repeat(250)}`))).toBe('too-deep')
  })

  it('may be as long as it likes', () => {
    expect(parseJson(JSON.stringify(Array(5000).fill({ a: [] })))).toHaveLength(5000)
  })
})

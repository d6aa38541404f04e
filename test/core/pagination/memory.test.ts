import { beforeAll, describe, expect, it } from 'vitest'
import { runProgram } from '../../faults/support/program.js'

describe('an iteration over 1,000 pages', () => {
  let counted: Record<'promisesPerItem' | 'pagesUntilFullCollection' | 'pages' | 'responses', number>

  beforeAll(async () => {
    // The heap is so large that V8 starts no garbage collection unless the program does.
    const nodeOptions = ['--expose-gc', '--min-semi-space-size=64', '--initial-old-space-size=1024']
    counted = JSON.parse(await runProgram('read-a-thousand-pages', [], nodeOptions))
  })

  it('keeps only the current page in memory, without its response body', () => {
    expect(counted).toMatchObject({ pages: 1, responses: 0 })
  })

  it('releases earlier pages even before the first full garbage collection', () => {
    // Only the current page and the next page survive a garbage collection of young objects.
    expect(counted.pagesUntilFullCollection).toBeLessThan(200)
  })

  it('creates at most five promises per item', () => {
    expect(counted.promisesPerItem).toBeLessThan(5)
  })
})

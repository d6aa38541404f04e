import { RequestValidationError } from '../errors.js'

/** A place in a list: a page, and how many of its items were taken. It moves as more are taken. */
export interface Mark {
  readonly position: unknown
  taken: number
}

export function readMark(checkpoint: string): Mark {
  try {
    const [position, taken] = JSON.parse(checkpoint) as unknown[]
    const known = position === null || typeof position === 'string' || Number.isSafeInteger(position)
    const counts = Number.isSafeInteger(taken) && (taken as number) >= 0
    if (known && counts) return { position: position ?? undefined, taken: taken as number }
  } catch {
    // Refused below.
  }
  throw new RequestValidationError([{ path: ['checkpoint'], message: 'must be what checkpoint() returned' }])
}

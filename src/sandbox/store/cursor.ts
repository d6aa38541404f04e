import { Refusal } from '../refusal.js'

/** Where a page begins: at a position going on, or before a position going back. */
export interface Cursor {
  direction: 'on' | 'back'
  position: number
}

/** Text that the caller hands back unread. It goes only with the filters it was made for. */
export function encodeCursor({ direction, position }: Cursor, filters: object): string {
  // Of letters, digits and full stops base64 makes neither + nor /, which would have to be replaced.
  return btoa(`${direction}.${position}.${fingerprint(filters)}`).replaceAll('=', '')
}

export function decodeCursor(text: string, filters: object): Cursor {
  const [, direction, position, print] = /^(on|back)\.(\d{1,15})\.(\d+)$/.exec(decoded(text)) ?? []
  if (Number(print) !== fingerprint(filters)) {
    throw new Refusal(400, 'InvalidCursor', 'The cursor was not made by this list, or it was made with other filters')
  }
  return { direction: direction as Cursor['direction'], position: Number(position) }
}

function decoded(text: string): string {
  try {
    return atob(text)
  } catch {
    return ''
  }
}

/** A number that differs as good as always when the filters differ. */
function fingerprint(filters: object): number {
  let sum = 0
  for (const letter of JSON.stringify(filters)) sum = Math.imul(sum ^ letter.charCodeAt(0), 0x01000193) >>> 0
  return sum
}

import type { LiteralUnion } from 'type-fest'

/** A version of the service's interface, sent as `X-Api-Version`. */
export type ApiVersion = LiteralUnion<'2021-09-27' | '2.1', string>

/** The two ways in which orders are written. Every version but `2021-09-27` is taken to use the newer one. */
export type Shape = '2021-09-27' | '2.1'

/** The shape that version `V` uses. */
export type ShapeOf<V extends string> = V extends '2021-09-27' ? '2021-09-27' : '2.1'

/** Something that differs between the shapes. */
export interface ByShape<Old, New> {
  '2021-09-27': Old
  '2.1': New
}

export function shapeOf(version: string): Shape {
  return version === '2021-09-27' ? '2021-09-27' : '2.1'
}

import type { RowPage, views } from '../sandbox/control/views.js'

type Views = typeof views
type Output<Path extends keyof Views> = Awaited<ReturnType<Views[Path]['run']>>

/** A row in a list of the control API. */
export type RowOf<Path extends keyof Views> = Output<Path> extends RowPage<infer Row> ? Row : never

export type PaymentDetails = Output<'payments/:id'>
export type RecordedRequest = RowOf<'requests'>
export type RecordedDelivery = RowOf<'deliveries'>

import { authentication } from './rows/authentication.js'
import { basics } from './rows/basics.js'
import { endpoints } from './rows/endpoints.js'
import { events } from './rows/events.js'
import { limits } from './rows/limits.js'
import { resources } from './rows/resources.js'
import { states } from './rows/states.js'
import { versioning } from './rows/versioning.js'

/** Statements of the specification, by section and then by test id. */
export type Rows = Readonly<Record<string, Readonly<Record<string, string>>>>

/**
 * Every statement of the specification about behaviour, in order.
 *
 * The key of a statement is the id of its test. Statements that the specification repeats have the same key. ` … `
 * marks omitted words.
 */
export const rows: Rows = {
  ...basics,
  ...resources,
  ...states,
  ...endpoints,
  ...authentication,
  ...events,
  ...limits,
  ...versioning,
}

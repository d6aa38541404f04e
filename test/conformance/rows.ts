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
 * The specification's statements about behaviour, in its order.
 *
 * Each key is the id of the test for its statement. A repeated statement has the key of the first one. ` … ` marks omitted
 * words.
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

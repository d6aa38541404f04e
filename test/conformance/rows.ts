import { authentication } from './rows/authentication.js'
import { basics } from './rows/basics.js'
import { endpoints } from './rows/endpoints.js'
import { events } from './rows/events.js'
import { limits } from './rows/limits.js'
import { resources } from './rows/resources.js'
import { states } from './rows/states.js'
import { versioning } from './rows/versioning.js'

/** Statements of the specification. The keys are the section, then the id of the test. */
export type Rows = Readonly<Record<string, Readonly<Record<string, string>>>>

/**
 * Quotes every statement of the specification about behaviour, in order. ` … ` marks omitted words. The key of a statement
 * is the id of its test. If the specification repeats a statement, both quotes have the same key.
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

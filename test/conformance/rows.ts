import { authentication } from './rows/authentication.js'
import { basics } from './rows/basics.js'
import { endpoints } from './rows/endpoints.js'
import { events } from './rows/events.js'
import { limits } from './rows/limits.js'
import { resources } from './rows/resources.js'
import { states } from './rows/states.js'
import { versioning } from './rows/versioning.js'

/** Statements of the specification, by section and by the id of the test that proves them. */
export type Rows = Readonly<Record<string, Readonly<Record<string, string>>>>

/**
 * Every statement of the specification about behaviour, in its order and words; ` … ` marks omitted words. Each names the
 * test that proves it. Repeated statements share a test.
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

import { authentication } from './rows/authentication.js'
import { basics } from './rows/basics.js'
import { endpoints } from './rows/endpoints.js'
import { events } from './rows/events.js'
import { limits } from './rows/limits.js'
import { resources } from './rows/resources.js'
import { states } from './rows/states.js'
import { versioning } from './rows/versioning.js'

/** Sentences of the specification by the id of the test that shows them, under the section they stand in. */
export type Rows = Readonly<Record<string, Readonly<Record<string, string>>>>

/**
 * Every sentence of the service's specification that speaks of behaviour, in its order and its words; ` … ` stands for words
 * left out. Each names the test that shows it. Where the specification repeats itself, so does the test.
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

import { wireCases } from '../support.mjs'

/** Runs the cases without a tool, to show that they work on their own. */
export default () => wireCases()

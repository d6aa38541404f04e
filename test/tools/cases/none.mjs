import { wireCases } from '../support.mjs'

/** Runs the cases without a tool, to show that the cases themselves work. */
export default () => wireCases()

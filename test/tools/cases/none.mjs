import { wireCases } from '../support.mjs'

/** Without a tool: proves the cases themselves. */
export default () => wireCases()

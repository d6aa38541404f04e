import { fetchTools } from '../package/consumer.js'

/** Installs the frameworks. */
export default () => fetchTools('test/frameworks', ['--omit=dev'])

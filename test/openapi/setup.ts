import { fetchTools } from '../package/consumer.js'

export default function setup(): Promise<void> {
  return fetchTools('test/openapi', ['--ignore-scripts'])
}

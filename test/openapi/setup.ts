import { shareTools } from '../package/consumer.js'

export default function setup(): Promise<void> {
  return shareTools('test/tools', 'test/openapi')
}

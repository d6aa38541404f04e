import { run } from '../package/consumer.js'

/** Builds the documentation site. */
export default async function setup(): Promise<void> {
  await run('vitepress', ['build', 'docs'])
}

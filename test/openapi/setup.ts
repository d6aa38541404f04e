import { existsSync } from 'node:fs'
import { run } from '../package/consumer.js'

const folder = 'test/openapi'

export default async function setup(): Promise<void> {
  if (existsSync(`${folder}/node_modules/openapi-backend`)) return
  await run('npm', ['install', '--no-save', '--ignore-scripts', '--fetch-retries=5'], folder)
}

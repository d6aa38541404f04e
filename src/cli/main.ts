#!/usr/bin/env node
import { run } from './run.js'
import { processTerminal } from './terminal.js'

// Ignores a closed pipe, because programs such as `head` close it early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

process.exitCode = await run(process.argv.slice(2), processTerminal())

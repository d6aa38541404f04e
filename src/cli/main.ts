#!/usr/bin/env node
import { run } from './run.js'
import { processTerminal } from './terminal.js'

// Programs such as `head` close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

process.exitCode = await run(process.argv.slice(2), processTerminal())

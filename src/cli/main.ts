#!/usr/bin/env node
import { run } from './run.js'
import { processTerminal } from './terminal.js'

// Whoever reads our output may stop at any line, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
  process.exit()
})

process.exitCode = await run(process.argv.slice(2), processTerminal())

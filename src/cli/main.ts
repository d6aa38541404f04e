#!/usr/bin/env node
import { run } from './run.js'
import { processTerminal } from './terminal.js'

// A program such as `head` may close a pipe early. Stops if standard output was closed, but not if only standard error
// was.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    if (stream === process.stdout) process.exit()
  })
}

process.exitCode = await run(process.argv.slice(2), processTerminal())

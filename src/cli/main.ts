#!/usr/bin/env node
import { run } from './run.js'
import { processTerminal } from './terminal.js'

// Programs such as `head` close a pipe early. Without a reader of the results, the command stops. Without a reader of the
// log, it continues.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    if (stream === process.stdout) process.exit()
  })
}

process.exitCode = await run(process.argv.slice(2), processTerminal())

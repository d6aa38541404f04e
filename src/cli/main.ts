#!/usr/bin/env node
/*! Contains commander (MIT License, Copyright (c) 2011 TJ Holowaychuk <tj@vision-media.ca>). */
import { run } from './run.js'
import { processTerminal } from './terminal.js'

// A program such as `head` may close a pipe early. The command stops if standard output was closed, but continues if
// only standard error was closed. Any other error, such as a full disk, ends the command with exit code 1.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    const isClosed = error.code === 'EPIPE'
    if (!isClosed && stream === process.stdout) console.error(`Cannot write to standard output: ${error.message}`)
    if (!isClosed || stream === process.stdout) process.exit(isClosed ? 0 : 1)
  })
}

process.exitCode = await run(process.argv.slice(2), processTerminal())
// Exits explicitly, because the shop that `explore` tested may still have open connections and timers.
if (process.argv[2] === 'explore') process.exit()

#!/usr/bin/env node
/*! Contains commander (MIT License, Copyright (c) 2011 TJ Holowaychuk <tj@vision-media.ca>). */
import { run } from './run.js'
import { processTerminal } from './terminal.js'

// A program such as `head` may close a pipe early. The command stops if standard output was closed, but continues if
// only standard error was closed.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    if (stream === process.stdout) process.exit()
  })
}

process.exitCode = await run(process.argv.slice(2), processTerminal())
// Exits explicitly, because the shop that `explore` ran may still have open connections and timers.
if (process.argv[2] === 'explore') process.exit()

import webpack from 'webpack'

const output = { path: import.meta.dirname, filename: 'webpack.cjs' }
webpack({ mode: 'production', target: 'node', entry: './esm.mjs', output, performance: false }, (error, stats) => {
  const problem = error?.stack ?? (stats.hasErrors() || stats.hasWarnings() ? stats.toString() : '')
  console.error(problem)
  process.exitCode = problem ? 1 : 0
})

/** Runs code blocks from the guides, so that tests and readers use the same code. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const guides = join(import.meta.dirname, '../../docs/guides')
const AsyncFunction = (async () => {}).constructor

/** The aliases of packages that are installed in several versions. */
const versions = { undici: 'undici8' }

export const installedName = (name) => versions[name] ?? name

/** Returns the code blocks in a guide. */
export function blocksOf(page) {
  return [...readFileSync(join(guides, page), 'utf8').matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code)
}

/**
 * Runs the code block that contains `text` in a guide, and returns its constants.
 *
 * @param options.env The environment variables that the code block reads.
 * @param options.modules Modules that replace packages.
 */
export async function runRecipe(page, text, { env = {}, modules = {} } = {}) {
  const [code, ...others] = blocksOf(page).filter((block) => block.includes(text))
  if (code === undefined || others.length > 0) throw new Error(`${page} must have one code block with "${text}"`)
  const names = [...code.matchAll(/^const (\w+) = /gm)].map(([, name]) => name)
  const program = code.replace(/^import (.*) from '(.*)'$/gm, (_, bindings, name) => {
    return `const ${patternOf(bindings)} = await load('${name}')`
  })
  const run = new AsyncFunction('load', `${program}\nreturn { ${names.join(', ')} }`)
  Object.assign(process.env, env)
  return run((name) => modules[name] ?? import(installedName(name)))
}

/** Converts import bindings (`{ A as B }`, `* as C` or `D`) to a destructuring pattern. */
function patternOf(bindings) {
  if (bindings.startsWith('{')) return bindings.replaceAll(' as ', ': ')
  return bindings.startsWith('* as ') ? bindings.slice('* as '.length) : `{ default: ${bindings} }`
}

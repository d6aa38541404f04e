import { builtinModule } from '../../../core/internal/builtin.js'

/** The media types of the inspector page's files. */
const types: Readonly<Record<string, string>> = {
  'index.html': 'text/html; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'events.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
}

/** Reads a file of the inspector page. Returns undefined if the page has no such file or is not built. */
export function readPage(name: string): { type: string; content: Buffer } | undefined {
  const type = Object.hasOwn(types, name) ? types[name] : undefined
  const fs = builtinModule<typeof import('node:fs')>('node:fs')
  const file = `${folder()}/${name}`
  return type !== undefined && fs?.existsSync(file) ? { type, content: fs.readFileSync(file) } : undefined
}

/** Returns the folder next to this module in `dist`, also if a checkout runs this module from `src`. */
function folder(): string {
  return `${import.meta.dirname.replace(/src[\\/]testing[\\/]sandbox[\\/]control$/, 'dist')}/inspector`
}

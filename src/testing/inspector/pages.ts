import { builtinModule } from '../../core/internal/builtin.js'
import type { Source } from '../sandbox/control/endpoint.js'
import { toServiceError } from '../sandbox/control/error.js'
import type { Inspector, InspectorResponse } from '../sandbox/http/control.js'
import { maskText } from '../sandbox/internal/mask.js'
import { absolute } from './format.js'
import { type Html, html } from './html.js'
import { addressOf, back, heading, type Visit } from './parts.js'
import { sections } from './sections.js'

/** The media types of the files that the build creates. */
const types: Readonly<Record<string, string>> = {
  'style.css': 'text/css; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
}

/** Responds with a page of the inspector, or with a file that the pages need. Returns undefined for other paths. */
export const respond: Inspector = async (source, path, query, origin) => {
  if (Object.hasOwn(types, path)) return readFile(path)
  const [, name = '', id = ''] = /^([^/]+)(?:\/([^/]+))?$/.exec(path === '' ? 'payments' : path) ?? []
  const section = Object.hasOwn(sections, name) ? sections[name] : undefined
  const page = id === '' ? section?.list : section?.details
  if (!section || !page) return undefined
  const now = source.sandbox.clock.now().getTime()
  const visit: Visit = { source, now, id: decode(id), query: new URLSearchParams(query), origin }
  const title = `${id === '' ? '' : `${visit.id} – `}${section.title} – Payments sandbox`
  let status = 200
  let content: Html
  try {
    content = await page(visit)
  } catch (error) {
    const problem = toServiceError(error)
    status = problem.status
    content = html`${back(name)}${heading(section.title)}<p class="notice bad" role="alert">${problem.message}</p>`
  }
  const { text } = layout(name, title, now, content)
  return { status, type: 'text/html; charset=utf-8', content: maskText(text) }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Reads a file. The folder is next to this module in `dist`, also if a checkout runs this module from `src`. */
function readFile(name: string): InspectorResponse | undefined {
  const fs = builtinModule<typeof import('node:fs')>('node:fs')
  const file = `${import.meta.dirname.replace(/src[\\/]testing[\\/]inspector$/, 'dist')}/inspector/${name}`
  return fs?.existsSync(file) ? { status: 200, type: types[name] as string, content: fs.readFileSync(file) } : undefined
}

function layout(current: string, title: string, now: number, content: Html): Html {
  const links = Object.entries(sections).map(
    ([name, { title }]) =>
      html`<a href="${addressOf(name)}" ${name === current && html`aria-current="page"`}>${title}</a>`,
  )
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="/__sandbox/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/__sandbox/style.css">
<script type="module" src="/__sandbox/app.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header>
<p class="brand"><img src="/__sandbox/icon.svg" alt="" width="20" height="20"> Sandbox</p>
<nav aria-label="Sections">${links}</nav>
<div class="tools">
<p id="now" class="muted small" title="The time of the sandbox's clock">${absolute(now)}</p>
<button type="button" id="reset">Reset</button>
</div>
<div id="toast"><p role="status"></p><button type="button" id="undo" hidden>Undo</button>
<button type="button" id="close" aria-label="Close message" hidden>✕</button></div>
</header>
<p id="connection" role="status" aria-live="assertive"></p>
<main id="main" tabindex="-1">${content}</main>
<noscript>The buttons and the live updates need JavaScript.</noscript>
</body>
</html>`
}

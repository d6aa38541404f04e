import { builtinModule } from '../../core/internal/builtin.js'
import type { Inspector } from '../sandbox/control/endpoint.js'
import { toServiceError } from '../sandbox/control/error.js'
import { maskText } from '../sandbox/internal/mask.js'
import { absolute } from './format.js'
import { type Html, html } from './html.js'
import { addressOf, back, heading } from './parts.js'
import { sections } from './sections.js'

/** The media types of the files that the build creates. */
const types: Readonly<Record<string, string>> = {
  'style.css': 'text/css; charset=utf-8',
  'app.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
}

export const respond: Inspector = async (source, { pathname, searchParams: query, origin }) => {
  const [name = '', id, ...others] = pathname.replace('/__sandbox/', '').split('/')
  if (Object.hasOwn(types, name)) return readFile(name)
  const [title, list, details] = Object.entries(sections).find(([key]) => key === (name || 'payments'))?.[1] ?? []
  const page = id === undefined ? list : details
  if (!title || !page || others.length > 0) return undefined
  const now = source.sandbox.clock.now().getTime()
  let status = 200
  let content: Html
  try {
    // Unlike decodeURIComponent, URLSearchParams accepts a malformed ID.
    content = await page({ source, now, id: new URLSearchParams(`id=${id ?? ''}`).get('id') ?? '', query, origin })
  } catch (error) {
    const problem = toServiceError(error)
    status = problem.status
    content = html`${back(name)}${heading(title)}<p class="notice bad" role="alert">${problem.message}</p>`
  }
  const headers = { 'content-type': 'text/html; charset=utf-8' }
  return new Response(maskText(layout(title, id, now, content).text), { status, headers })
}

/** Reads a file that the build wrote to `dist`, even if this module runs from `src`. */
function readFile(name: string): Response | undefined {
  const fs = builtinModule<typeof import('node:fs')>('node:fs')
  const file = `${import.meta.dirname.replace(/src[\\/]testing[\\/]inspector$/, 'dist')}/inspector/${name}`
  if (!fs?.existsSync(file)) return undefined
  return new Response(fs.readFileSync(file), { headers: { 'content-type': types[name] as string } })
}

function layout(current: string, id: string | undefined, now: number, content: Html): Html {
  const links = Object.entries(sections).map(
    ([name, [title]]) =>
      html`<a href="${addressOf(name)}" ${title === current && html`aria-current="page"`}>${title}</a>`,
  )
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${id && `${id} – `}${current} – Payments sandbox</title>
<link rel="icon" href="/__sandbox/icon.svg" type="image/svg+xml"><link rel="stylesheet" href="/__sandbox/style.css">
<script type="module" src="/__sandbox/app.js"></script>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><strong>Sandbox</strong><nav aria-label="Sections">${links}</nav>
<span id="now" class="muted" title="The time of the sandbox's clock">${absolute(now)}</span>
<button type="button" id="reset">Reset</button>
<div id="toast"><p role="status"></p><button type="button" id="undo" hidden>Undo</button>
<button type="button" id="close" aria-label="Close message" hidden>✕</button></div></header>
<p id="connection" role="status" aria-live="assertive"></p>
<main id="main" tabindex="-1">${content}</main>
<noscript>The buttons and the live updates need JavaScript.</noscript>
</body>
</html>`
}

import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { build, type Plugin } from 'esbuild'

const folder = 'src/inspector'

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/** The module that `bundledPage` fills. */
export const pageModule = /[\\/]sandbox[\\/]control[\\/]page\.ts$/

/** Bundles the inspector page. Returns the code for `pageModule`, and the source files, with those of packages. */
export async function bundlePage(): Promise<{ code: string; sources: string[] }> {
  const { outputFiles, metafile } = await build({
    entryPoints: { app: `${folder}/main.tsx`, events: `${folder}/live/worker.ts`, style: `${folder}/style.css` },
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    outdir: '/',
    format: 'esm',
    target: ['chrome111', 'firefox113', 'safari16.4'],
    legalComments: 'none',
  })
  const contents: [name: string, bytes: Uint8Array][] = outputFiles.map((file) => [basename(file.path), file.contents])
  for (const name of ['index.html', 'icon.svg']) contents.push([name, await readFile(`${folder}/${name}`)])
  const files: Record<string, { type: string | undefined; body: string }> = {}
  for (const [name, bytes] of contents) {
    const body = await promisify(gzip)(bytes, { level: 9 })
    files[name] = { type: types[name.replace(/^.*\./, '')], body: body.toString('base64') }
  }
  return { code: `export const pageFiles = ${JSON.stringify(files)}`, sources: Object.keys(metafile.inputs) }
}

/** Replaces `pageModule` by the files of the page. */
export const bundledPage: Plugin = {
  name: 'bundled-page',
  setup({ onLoad }) {
    onLoad({ filter: pageModule }, async () => ({ contents: (await bundlePage()).code, loader: 'ts' }))
  },
}

import { readFile, writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { build } from 'esbuild'

const folder = 'src/testing/inspector'

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Matches the module that exports the page's files. In src, the module is empty, and the build fills it. */
export const pageModule = /[\\/]sandbox[\\/]control[\\/]page\.ts$/

/** Bundles the inspector page. Returns its files as JSON, and the paths of all source files, including packages. */
export async function bundlePage(): Promise<{ files: string; sources: string[] }> {
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
  return { files: JSON.stringify(files), sources: Object.keys(metafile.inputs) }
}

/** Writes `dist/page.cjs`, from which the server loads the page. The ES module and CommonJS builds share this file. */
export async function writePage(): Promise<string[]> {
  const { files, sources } = await bundlePage()
  await writeFile('dist/page.cjs', `exports.pageFiles = ${files}\n`)
  return sources
}

import { readdir, readFile, rm, writeFile } from 'node:fs/promises'

/** What the bundler has put into dist. It notes that down beside its output. */
export async function inlinedFiles(): Promise<string[]> {
  const files: string[] = []
  for (const notes of ['dist/metafile-esm.json', 'dist/metafile-cjs.json']) {
    files.push(...Object.keys(JSON.parse(await readFile(notes, 'utf8')).inputs))
    await rm(notes)
  }
  return files
}

/** The terms under which others' code stands in dist. */
export async function writeLicenses(files: string[]): Promise<void> {
  const packages = files.map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1])
  const names = [...new Set(packages.filter((name) => name !== undefined))].sort()
  const notices = await Promise.all(names.map(notice))
  await writeFile('dist/third-party-licenses.txt', notices.join('\n'))
}

async function notice(name: string): Promise<string> {
  const folder = `node_modules/${name}`
  const { version } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'))
  const license = (await readdir(folder)).find((file) => /^licen[cs]e(-mit)?([.]\w+)?$/i.test(file))
  if (!license) throw new Error(`${name} is inlined, but brings no licence`)
  return `${name} ${version}\n\n${await readFile(`${folder}/${license}`, 'utf8')}`
}

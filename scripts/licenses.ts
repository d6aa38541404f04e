import { readdir, readFile, rm, writeFile } from 'node:fs/promises'

/** Returns the source files that the bundler inlined, as listed in its metafiles. Deletes the metafiles. */
export async function inlinedFiles(): Promise<string[]> {
  const files: string[] = []
  for (const metafile of ['dist/metafile-esm.json', 'dist/metafile-cjs.json']) {
    files.push(...Object.keys(JSON.parse(await readFile(metafile, 'utf8')).inputs))
    await rm(metafile)
  }
  return files
}

/** Writes the licences of the packages that contain the given files. */
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
  if (!license) throw new Error(`The package ${name} is inlined, but has no licence file`)
  return `${name} ${version}\n\n${await readFile(`${folder}/${license}`, 'utf8')}`
}

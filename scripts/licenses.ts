import { readdir, readFile, writeFile } from 'node:fs/promises'

interface Manifest {
  name: string
  version: string
  license: string
}

/** Writes the licences of the packages that contain the given files, and a bill of materials (CycloneDX) of these packages. */
export async function writeNotices(files: string[]): Promise<void> {
  const packages = files.map((file) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1])
  const names = [...new Set(packages.filter((name) => name !== undefined))].sort()
  const notices = await Promise.all(names.map(notice))
  await writeFile('dist/third-party-licenses.txt', notices.join('\n'))
  await writeFile('dist/sbom.json', JSON.stringify(await billOfMaterials(names)))
}

async function notice(name: string): Promise<string> {
  const folder = `node_modules/${name}`
  const { version } = await readJson(`${folder}/package.json`)
  const license = (await readdir(folder)).find((file) => /^licen[cs]e(-mit)?([.]\w+)?$/i.test(file))
  if (!license) throw new Error(`The package ${name} is inlined, but has no licence file`)
  return `${name} ${version}\n\n${await readFile(`${folder}/${license}`, 'utf8')}`
}

async function billOfMaterials(names: string[]): Promise<object> {
  const { packages } = await readJson('package-lock.json')
  const inlined = await Promise.all(
    names.map(async (name) => {
      const folder = `node_modules/${name}`
      const digest = packages[folder].integrity.replace(/^sha512-/, '')
      const hash = { alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }
      return { ...component(await readJson(`${folder}/package.json`)), hashes: [hash] }
    }),
  )
  const root = component(await readJson('package.json'))
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { component: root },
    components: inlined,
    dependencies: [{ ref: root.purl, dependsOn: inlined.map(({ purl }) => purl) }],
  }
}

function component({ name, version, license }: Manifest) {
  const [group, base] = name.startsWith('@') ? name.split('/') : [undefined, name]
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  // Some packages offer a choice of licences, such as `(MIT OR CC0-1.0)`, which is an expression instead of an id.
  const licenses = [/ /.test(license) ? { expression: license } : { license: { id: license } }]
  return { type: 'library', 'bom-ref': purl, group, name: base, version, licenses, purl }
}

async function readJson(file: string) {
  return JSON.parse(await readFile(file, 'utf8'))
}

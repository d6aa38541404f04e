import { existsSync, readFileSync, writeFileSync } from 'node:fs'

/** Writes a generated file. With `--check`, writes nothing and throws if the file is out of date. */
export function writeGenerated(file: string, content: string): void {
  if (existsSync(file) && readFileSync(file, 'utf8') === content) return
  if (process.argv.includes('--check')) throw new Error(`${file} is out of date: run \`npm run generate\``)
  writeFileSync(file, content)
}

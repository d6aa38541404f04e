import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const { compilerOptions } = JSON.parse(readFileSync(`${root}tsconfig.json`, 'utf8'))

// Avoids `defineConfig`, because `vitest/config` would resolve to the repository's vitest here.
export default {
  root,
  resolve: {
    alias: [
      {
        find: /^vitest$/,
        replacement: fileURLToPath(new URL('./node_modules/vitest-3/dist/index.js', import.meta.url)),
      },
      ...Object.entries(compilerOptions.paths).map(([name, [file]]) => ({
        find: new RegExp(`^${name}$`),
        replacement: `${root}${file.slice(2)}`,
      })),
    ],
  },
  test: { globalSetup: ['test/seed.ts'], setupFiles: ['test/setup.ts'], testTimeout: 15_000 },
}

import { globSync } from 'node:fs'
import { expect, it } from 'vitest'
import { pages, snippetsIn, typeErrors, typeErrorsIn } from '../support/snippets.js'

it('code blocks in the documentation compile without type errors', () => {
  // Excludes the guides to frameworks and ORMs, whose code blocks `test/frameworks` and `test/stores` compile.
  const snippets = pages.filter((page) => !/\/(frameworks|orm)\.md$/.test(page)).flatMap(snippetsIn)

  expect(typeErrors(snippets)).toEqual([])
})

it('examples compile without type errors', () => {
  // Excludes the examples with packages that `test/stores` compiles.
  const files = globSync('examples/**/*.ts').filter(
    (file) => !/^examples.(webhooks|orders.(postgres|prisma))/.test(file),
  )

  expect(typeErrorsIn(files)).toEqual([])
})

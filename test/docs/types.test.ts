import { expect, it } from 'vitest'
import { pages, snippetsIn, typeErrors } from '../support/snippets.js'

it('code blocks in the documentation compile without type errors', () => {
  // Excludes the framework guides, whose code blocks `test/frameworks` compiles.
  const snippets = pages.filter((page) => !page.includes('/frameworks/')).flatMap(snippetsIn)

  expect(typeErrors(snippets)).toEqual([])
})

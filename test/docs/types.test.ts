import { expect, it } from 'vitest'
import { pages, snippetsIn, typeErrors } from '../support/snippets.js'

it('code blocks in the documentation compile without type errors', () => {
  // Excludes the guides for frameworks and ORMs, whose code blocks `test/frameworks` and `test/stores` compile.
  const snippets = pages.filter((page) => !/\/frameworks\/|\/orm\.md$/.test(page)).flatMap(snippetsIn)

  expect(typeErrors(snippets)).toEqual([])
})

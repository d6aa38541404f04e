import { globSync } from 'node:fs'
import { expect, it } from 'vitest'
import { pages, type Snippet, snippetsIn, typeErrors, typeErrorsIn } from '../support/snippets.js'

// Excludes the guides to frameworks and ORMs, whose code blocks `test/frameworks` and `test/stores` compile.
const snippets = pages.filter((page) => !/\/(frameworks|orm)\.md$/.test(page)).flatMap(snippetsIn)

/** A shop that passes the sandbox's options to its own function, in its tests. */
const shop: Snippet = {
  page: 'shop',
  line: 1,
  uses: new Map(),
  code: `
import { type ClientOptions, PaymentsClient } from 'payments-client'
import { createSandbox } from 'payments-client/sandbox'

interface ShopOptions extends ClientOptions { webhookSecret: string }

const createShop = ({ webhookSecret, ...options }: ShopOptions) => [webhookSecret, new PaymentsClient(options)]
const sandbox = createSandbox()
createShop({ ...sandbox.clientOptions(), maxRetries: 0, webhookSecret: sandbox.webhooks.secret })
`,
}

const errors = typeErrors([...snippets, shop])
const isInShop = (error: string) => error.startsWith('shop/')

it('code blocks in the documentation compile without type errors', () => {
  expect(errors.filter((error) => !isInShop(error))).toEqual([])
})

it('sandbox.clientOptions compiles as part of an argument of the type ClientOptions', () => {
  expect(errors.filter(isInShop)).toEqual([])
})

it('examples compile without type errors', () => {
  // Excludes the examples with packages, which `test/frameworks` and `test/stores` compile.
  const files = globSync('examples/**/*.ts').filter(
    (file) =>
      !/^examples.(frameworks|webhooks|orders.(postgres|prisma)|recipes.(recover|refunds|sequelize))/.test(file),
  )

  expect(typeErrorsIn(files)).toEqual([])
})

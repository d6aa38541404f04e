import { globSync } from 'node:fs'
import { expect, it } from 'vitest'
import { pages, type Snippet, snippetsIn, typeErrors } from '../support/snippets.js'

// Excludes the pages with frameworks and ORMs, whose code blocks `test/frameworks` and `test/stores` compile.
const snippets = pages.filter((page) => !/\/(frameworks|orm|SKILL)\.md$/.test(page)).flatMap(snippetsIn)

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

/** The examples, except those with packages, which `test/frameworks` and `test/stores` compile. */
const examples = globSync('examples/**/*.ts').filter(
  (file) => !/^examples.(frameworks|webhooks|orders.(postgres|prisma)|recipes.(recover|refunds|sequelize))/.test(file),
)

const { inSnippets, inOthers } = typeErrors([...snippets, shop], examples)
const isInShop = (error: string) => error.startsWith('.build/snippets/shop/')

it('code blocks in the documentation compile without type errors', () => {
  expect(inSnippets.filter((error) => !isInShop(error))).toEqual([])
})

it('sandbox.clientOptions compiles as part of an argument of the type ClientOptions', () => {
  expect(inSnippets.filter(isInShop)).toEqual([])
})

it('examples compile without type errors', () => {
  expect(inOthers).toEqual([])
})

import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it } from 'vitest'
import { testWebhookStore } from '../../src/sandbox/index.js'
import { createIdempotencyStore, createWebhookStore, migrationSql } from '../../src/stores/sqlite.js'

describe('the SQLite store', () => {
  for (const { name, run } of testWebhookStore(async () => {
    const store = createWebhookStore(new DatabaseSync(':memory:'))
    await store.migrate()
    return store
  })) {
    it(name, run)
  }
})

/** The entry points. `package.json` has the same names under `exports` and `typesVersions`. */
export const entries = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  schemas: 'src/core/schemas/index.ts',
  sandbox: 'src/testing/index.ts',
  msw: 'src/testing/msw.ts',
  orders: 'src/orders/index.ts',
  sqlite: 'src/stores/sqlite/index.ts',
  opentelemetry: 'src/observability/opentelemetry.ts',
  redis: 'src/stores/redis/index.ts',
  postgres: 'src/stores/postgres/index.ts',
}

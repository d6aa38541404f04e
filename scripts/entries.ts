/** The entry points. `package.json` has the same names under `exports` and `typesVersions`. */
export const entries = {
  index: 'src/index.ts',
  webhooks: 'src/webhooks/index.ts',
  schemas: 'src/schemas/index.ts',
  sandbox: 'src/sandbox/index.ts',
  msw: 'src/msw.ts',
  sqlite: 'src/stores/sqlite.ts',
  opentelemetry: 'src/observability/opentelemetry.ts',
  redis: 'src/stores/redis.ts',
  postgres: 'src/stores/postgres.ts',
}

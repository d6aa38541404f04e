// Imports point one way: client → resources → transport → contract → schemas → internal.

/** Files and folders directly under src. */
const src = (...names) => ({ path: `^src/(${names.join('|')})(/|[.]ts$)` })

/** Everything directly under src except the given names. */
const srcExcept = (...names) => ({ path: '^src/', pathNot: src(...names).path })

/** An npm package. */
const npm = (...names) => ({ path: `node_modules/(${names.join('|')})/` })

const forbid = (name, from, to) => ({ name, severity: 'error', from, to })

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    forbid('internal-imports-internal', src('internal'), srcExcept('internal', 'errors')),
    forbid('schemas-import-internal', src('schemas'), srcExcept('schemas', 'internal')),
    forbid('contract-imports-helpers', src('contract'), srcExcept('contract', 'helpers', 'schemas', 'internal')),
    forbid('helpers-import-schemas', src('helpers'), srcExcept('helpers', 'schemas', 'internal', 'errors')),
    forbid(
      'transport-imports-contract',
      src('transport'),
      src('client', 'resources', 'webhooks', 'sandbox', 'cli', 'msw'),
    ),
    forbid(
      'pagination-imports-no-transport',
      src('pagination'),
      src('client', 'resources', 'transport', 'sandbox', 'cli'),
    ),
    forbid('resources-import-transport', src('resources'), src('client', 'webhooks', 'sandbox', 'cli', 'msw')),
    forbid(
      'stores-import-webhooks',
      src('stores'),
      src('client', 'resources', 'transport', 'contract', 'pagination', 'sandbox', 'cli', 'msw'),
    ),
    forbid(
      'observability-imports-contract',
      src('observability'),
      src('client', 'resources', 'transport', 'pagination', 'webhooks', 'sandbox', 'cli', 'msw'),
    ),
    forbid('only-the-cli-imports-the-cli', { path: '^src/', pathNot: src('cli').path }, src('cli')),
    forbid('main-entry-loads-no-sandbox', src('index', 'client'), { ...src('sandbox', 'cli', 'msw'), reachable: true }),
    forbid('webhooks-load-no-client', src('webhooks'), {
      ...src('client', 'resources', 'transport', 'contract', 'sandbox'),
      reachable: true,
    }),
    forbid('webhooks-load-no-ky', src('webhooks'), { ...npm('ky'), reachable: true }),
    forbid('schemas-load-no-ky', src('schemas'), { ...npm('ky'), reachable: true }),
    forbid('sandbox-loads-no-client', src('sandbox', 'msw'), {
      ...src('client', 'resources', 'transport'),
      dependencyTypesNot: ['type-only'],
    }),
    // Inside the sandbox: http → control → api → controls → webhooks → service → handlers → domain → store → internal.
    ...['internal', 'store', 'domain', 'handlers', 'service', 'webhooks', 'controls', 'api', 'control', 'http'].map(
      (layer, index, layers) =>
        forbid(
          `sandbox-${layer}-imports-downward`,
          { path: `^src/sandbox/${layer}(/|[.]ts$)` },
          { path: '^src/sandbox/', pathNot: `^src/sandbox/(${layers.slice(0, index + 1).join('|')})(/|[.]ts$)` },
        ),
    ),
    forbid('ky-in-transport', { path: '^src/', pathNot: src('transport').path }, npm('ky')),
    forbid('commander-in-the-cli', { path: '^src/', pathNot: src('cli').path }, npm('commander', '@commander-js')),
    forbid('preact-in-the-inspector', { path: '^src/', pathNot: src('inspector').path }, npm('preact')),
    // The build bundles the inspector, which runs in browsers.
    forbid('only-the-inspector-imports-the-inspector', srcExcept('inspector'), src('inspector')),
    forbid('inspector-loads-no-client', src('inspector'), {
      ...src('client', 'resources', 'transport', 'cli', 'stores'),
      dependencyTypesNot: ['type-only'],
    }),
    forbid('msw-in-its-entry', { path: '^src/', pathNot: src('msw').path }, npm('msw')),
    forbid('opentelemetry-in-its-entry', { path: '^src/', pathNot: src('observability').path }, npm('@opentelemetry')),
    // Importing zod instead of zod/mini or zod/v4/core costs each consumer 85 KB more.
    forbid('zod-mini-only', { path: '^src/' }, { ...npm('zod'), pathNot: 'node_modules/zod/(mini|v4/core)/' }),
    // Imported packages are inlined, so each one is a decision.
    forbid(
      'no-other-package',
      { path: '^src/' },
      {
        path: 'node_modules/',
        pathNot: npm(
          'ky',
          'zod',
          'type-fest',
          'commander',
          '@commander-js',
          'preact',
          'msw',
          '@opentelemetry',
          '@types/node',
        ).path,
      },
    ),
    forbid('no-circle', {}, { circular: true }),
    forbid('resolvable', {}, { couldNotResolve: true }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
}

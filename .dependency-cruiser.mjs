// The import rules between the folders of src, which docs/project/architecture.md explains.

/** Files and folders directly under src. */
const src = (...names) => ({ path: `^src/(${names.join('|')})(/|[.]ts$)` })

/** Everything under src except the given files and folders. */
const srcExcept = (...names) => ({ path: '^src/', pathNot: src(...names).path })

/** An npm package. */
const npm = (...names) => ({ path: `node_modules/(${names.join('|')})/` })

const forbid = (name, from, to) => ({ name, severity: 'error', from, to })

/** Allows a folder to import only itself and the given files and folders. */
const only = (folder, ...names) => forbid(`${folder}-imports`, src(folder), srcExcept(folder, ...names))

/** Rules inside a folder whose parts import only the parts after them. */
const layers = (folder, ...names) =>
  names
    .slice(1)
    .map((name, index) =>
      forbid(
        `${folder}-${name}-imports-downward`,
        src(`${folder}/${name}`),
        src(...names.slice(0, index + 1).map((upper) => `${folder}/${upper}`)),
      ),
    )

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    only('core'),
    only('webhooks', 'core', 'stores/contract', 'stores/memory'),
    only('operations', 'core'),
    only('orders', 'core', 'operations', 'webhooks', 'stores', 'client'),
    forbid('orders-load-no-client', src('orders'), { ...src('client'), dependencyTypesNot: ['type-only'] }),
    only('stores', 'core', 'operations'),
    only('observability', 'core'),
    only('testing', 'core', 'webhooks'),
    forbid('testing-loads-no-client', src('testing'), {
      ...src('client', 'core/resources', 'core/transport'),
      dependencyTypesNot: ['type-only'],
    }),
    forbid('only-the-cli-imports-the-cli', srcExcept('cli'), src('cli')),
    ...layers('core', 'resources', 'transport', 'contract', 'schemas', 'internal'),
    ...layers('testing', 'explore', 'inspector', 'sandbox'),
    // Inside the sandbox: http → control → api → controls → webhooks → service → handlers → domain → store → internal.
    ...layers(
      'testing/sandbox',
      'http',
      'control',
      'api',
      'controls',
      'webhooks',
      'service',
      'handlers',
      'domain',
      'store',
      'internal',
    ),
    forbid('main-entry-loads-no-sandbox', src('index', 'client'), { ...src('testing', 'cli'), reachable: true }),
    forbid('webhooks-load-no-client', src('webhooks'), {
      ...src('client', 'core/resources', 'core/transport', 'core/contract', 'testing'),
      reachable: true,
    }),
    forbid('webhooks-load-no-ky', src('webhooks', 'core/schemas'), { ...npm('ky'), reachable: true }),
    forbid('ky-in-transport', srcExcept('core/transport'), npm('ky')),
    forbid('commander-in-the-cli', srcExcept('cli'), npm('commander', '@commander-js')),
    // The build bundles the script of the inspector's pages, which runs in browsers.
    forbid('idiomorph-in-the-page-script', srcExcept('testing/inspector/app'), npm('idiomorph')),
    forbid('msw-in-its-entry', srcExcept('testing/msw'), npm('msw')),
    forbid('opentelemetry-in-its-entry', srcExcept('observability'), npm('@opentelemetry')),
    forbid('stock-zod-only', { path: '^src/' }, { ...npm('zod'), pathNot: 'node_modules/zod/index[.]' }),
    // Each package is a decision: a dependency, bundled code, or an optional peer.
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
          'idiomorph',
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

// The floors of the house. A call walks down: client, resources, transport, contract, schemas. Imports point the same way.

/** Files and folders directly under src. */
const src = (...names) => ({ path: `^src/(${names.join('|')})(/|[.]ts$)` })

/** An npm package. */
const npm = (...names) => ({ path: `node_modules/(${names.join('|')})/` })

const forbid = (name, from, to) => ({ name, severity: 'error', from, to })

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    // What every floor stands on.
    forbid(
      'ground-stands-alone',
      src('calendar', 'errors', 'issues', 'nearest', 'objects', 'options', 'pagination', 'pollution', 'version'),
      src('client', 'resources', 'transport', 'webhooks', 'sandbox', 'cli', 'msw'),
    ),
    forbid('schemas-stand-alone', src('schemas'), src('(?!schemas|issues|nearest|objects|calendar|pollution)[^/]+')),
    forbid(
      'contract-knows-schemas-only',
      src('contract'),
      src('client', 'resources', 'transport', 'webhooks', 'sandbox', 'cli', 'msw'),
    ),
    forbid('transport-looks-down', src('transport'), src('client', 'resources', 'webhooks', 'sandbox', 'cli', 'msw')),
    forbid('resources-look-down', src('resources'), src('client', 'webhooks', 'sandbox', 'cli', 'msw')),
    forbid('client-never-heard-of-the-sandbox', src('index', 'client'), {
      ...src('sandbox', 'cli', 'msw'),
      reachable: true,
    }),
    // Each entry point must stay as small as it promises, however many files lie between.
    forbid('webhooks-load-no-client', src('webhooks'), {
      ...src('client', 'resources', 'transport', 'contract', 'sandbox'),
      reachable: true,
    }),
    forbid('webhooks-load-no-ky', src('webhooks'), { ...npm('ky'), reachable: true }),
    forbid('schemas-load-no-ky', src('schemas'), { ...npm('ky'), reachable: true }),
    forbid('sandbox-faces-the-transport', src('sandbox', 'msw'), {
      ...src('client', 'resources', 'transport'),
      dependencyTypesNot: ['type-only'],
    }),
    // What the service is does not depend on how it is asked.
    forbid(
      'sandbox-domain-knows-no-request',
      { path: '^src/sandbox/(domain|store)/' },
      { path: '^src/sandbox/(carriers|faults|handlers|service)/' },
    ),
    forbid('ky-in-the-transport-only', { path: '^src/', pathNot: src('transport').path }, npm('ky')),
    forbid('msw-in-its-entry-only', { path: '^src/', pathNot: src('msw').path }, npm('msw')),
    // zod itself, not zod/mini, costs each user 85 KB more.
    forbid('zod-mini-only', { path: '^src/' }, { ...npm('zod'), pathNot: 'node_modules/zod/mini/' }),
    // What is imported is inlined, so each package is a decision.
    forbid(
      'no-other-package',
      { path: '^src/' },
      { path: 'node_modules/', pathNot: npm('ky', 'zod', 'type-fest', 'msw', '@types/node').path },
    ),
    forbid('no-circle', {}, { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } }),
    forbid('resolvable', {}, { couldNotResolve: true }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'node', 'default'] },
  },
}

/** A group of source files, and the tests that should detect mutants of these files. */
export interface Group {
  name: string
  /** Globs of the files to mutate. */
  files: readonly string[]
  /** Globs of the tests to run. */
  tests: readonly string[]
  /** The percentage of mutants that the tests must kill. */
  goal: number
  /**
   * Glob of files whose exports are built lazily and cached. The set-up builds these exports before the tests.
   *
   * Without this, Stryker would assume that only the first test that uses an export covers it.
   */
  lazy?: string
}

/** The goal of all groups together, in percent. */
export const wholePackage = 90

const faults = 'test/faults/*.test.ts'

export const groups: readonly Group[] = [
  {
    name: 'webhooks',
    files: ['src/webhooks/*.ts', 'src/stores/{memory,webhook-store}.ts', 'src/core/internal/bytes.ts'],
    tests: ['test/webhooks/*.test.ts', 'test/observability/*.test.ts', 'test/stores/memory.test.ts'],
    goal: 97,
  },
  {
    name: 'paths',
    files: ['src/core/transport/url.ts'],
    tests: [
      'test/client.test.ts',
      'test/core/transport/{arguments,request}.test.ts',
      'test/core/contract/*.test.ts',
      'test/faults/urls.test.ts',
    ],
    goal: 95,
  },
  {
    name: 'errors',
    files: ['src/core/errors.ts', 'src/core/internal/issues.ts'],
    tests: [
      'test/{errors,observability,transport}/*.test.ts',
      'test/webhooks/{events,handler,handler-claims,headers,verify}.test.ts',
      'test/core/schemas/requests.test.ts',
      'test/{client,options,resources/wait}.test.ts',
      'test/core/internal/*.test.ts',
      faults,
    ],
    goal: 95,
  },
  {
    name: 'options',
    files: ['src/{options,settings}.ts', 'src/core/internal/{headers,objects,options,plain-data}.ts'],
    tests: [
      'test/{client,options}.test.ts',
      'test/observability/options.test.ts',
      'test/core/transport/{arguments,call-options,request}.test.ts',
      'test/faults/{calls,idempotency,plain-data,pollution,secrets,validation}.test.ts',
      'test/core/resources/{reconcile,wait}.test.ts',
      'test/webhooks/handler.test.ts',
    ],
    goal: 95,
  },
  {
    name: 'transport',
    files: [
      'src/{call,client}.ts',
      'src/core/internal/{channels,deadline,outcome}.ts',
      'src/core/transport/*.ts',
      '!src/core/transport/url.ts',
    ],
    tests: [
      'test/{client,options,version}.test.ts',
      'test/{errors,observability,transport}/*.test.ts',
      'test/core/schemas/{requests,responses}.test.ts',
      'test/{contract/operations,resources/client-sessions}.test.ts',
      'test/core/internal/outcome.test.ts',
      faults,
    ],
    goal: 95,
  },
  {
    name: 'http',
    files: ['src/core/transport/http/*.ts'],
    tests: [
      'test/core/transport/{call,node-http,prefers-node-http,runtime-fetch}.test.ts',
      'test/faults/{cancellation,http-adapters,idempotency,responses,retries,transport,urls,validation}.test.ts',
    ],
    goal: 95,
  },
  {
    name: 'helpers',
    files: ['src/core/helpers/*.ts', 'src/core/internal/calendar.ts'],
    tests: ['test/core/helpers/*.test.ts', 'test/core/transport/arguments.test.ts', 'test/faults/retry-after.test.ts'],
    goal: 90,
  },
  {
    name: 'pagination',
    files: ['src/core/pagination/*.ts', 'src/core/resources/lists.ts'],
    tests: ['test/core/pagination/*.test.ts', 'test/faults/paging.test.ts'],
    goal: 90,
  },
  {
    name: 'operations',
    files: ['src/{contract,resources}/*.ts', '!src/core/resources/lists.ts'],
    tests: [
      'test/{conformance,contract,resources}/*.test.ts',
      'test/client.test.ts',
      'test/{transport/{recovery,arguments,request},schemas/requests}.test.ts',
      'test/faults/{idempotency,recovery,retries,validation}.test.ts',
    ],
    goal: 90,
  },
  { name: 'journal', files: ['src/operations/decide.ts'], tests: ['test/operations/decide.test.ts'], goal: 100 },
  {
    name: 'schemas',
    files: ['src/core/schemas/*.ts'],
    tests: ['test/{conformance,contract,schemas}/*.test.ts', 'test/core/transport/{arguments,request}.test.ts'],
    goal: 90,
    lazy: 'src/core/schemas/*.ts',
  },
  {
    name: 'sandbox',
    files: ['src/testing/msw.ts', 'src/testing/sandbox/**/*.ts'],
    tests: ['test/testing/msw.test.ts', 'test/testing/sandbox/*.test.ts', 'test/conformance/*.test.ts'],
    goal: 90,
  },
  { name: 'cli', files: ['src/cli/*.ts'], tests: ['test/cli/*.test.ts'], goal: 90 },
]

/** Files of src that are changed together, and the tests that have to notice. */
export interface Group {
  name: string
  /** Globs of the files to change. */
  changes: readonly string[]
  /** Globs of the tests to run. */
  tests: readonly string[]
  /** The share of changes that the tests must notice, in percent. */
  goal: number
  /** Whether every survivor must be explained in survivors.ts. */
  explained?: true
  /**
   * Glob of the files whose exports make much when first asked, and keep it. The first test to ask would seem to be the only one
   * it concerns: so all of it is made before any test, and every change to it meets every test.
   */
  remembers?: string
  /** Whether it belongs to the short form. */
  quick?: true
}

/** The goal for all groups together, in percent. */
export const wholePackage = 90

export const groups: readonly Group[] = [
  {
    name: 'webhooks',
    changes: ['src/webhooks/*.ts'],
    tests: ['test/webhooks/*.test.ts'],
    goal: 97,
    explained: true,
  },
  {
    name: 'retry',
    changes: ['src/transport/{advice,backoff,budget,retry-after}.ts'],
    tests: ['test/transport/{advice,backoff,budget,retry-after}.test.ts'],
    goal: 95,
    explained: true,
  },
  {
    name: 'paths',
    changes: ['src/transport/url.ts'],
    tests: [
      'test/transport/{arguments,request}.test.ts',
      'test/contract/operations.test.ts',
      'test/faults/urls.test.ts',
    ],
    goal: 95,
    explained: true,
    quick: true,
  },
  {
    name: 'errors',
    changes: ['src/{errors,internal/issues}.ts'],
    tests: ['test/errors/*.test.ts'],
    goal: 95,
    explained: true,
  },
  {
    name: 'wire',
    changes: ['src/transport/{http/*,error-response,slots}.ts'],
    tests: [
      'test/transport/{answer-body,node-body,node-http,over-fetch,redact,runtime,slots}.test.ts',
      'test/{client,errors/messages,schemas/response-tolerance}.test.ts',
      'test/faults/{cancellation,pollution,transport,transport-answers,urls,validation}.test.ts',
    ],
    goal: 95,
    explained: true,
  },
  {
    name: 'transport',
    changes: [
      'src/{call,internal/{deadline,objects,prototype}}.ts',
      'src/transport/*.ts',
      '!src/transport/{advice,error-response,backoff,budget,retry-after,slots,url}.ts',
    ],
    tests: [
      'test/transport/*.test.ts',
      'test/schemas/{request-*,response-tolerance,response-validation}.test.ts',
      'test/{client,client-sessions,errors/messages,operations,options,payment-instruments,pollution}.test.ts',
      'test/faults/{amounts,cancellation,idempotency,pollution,retries,retry-after,urls,validation}.test.ts',
    ],
    goal: 95,
    explained: true,
  },
  {
    name: 'helpers',
    changes: ['src/{helpers,internal/calendar}*.ts'],
    tests: ['test/helpers/helpers.test.ts', 'test/faults/validation.test.ts'],
    goal: 90,
  },
  {
    name: 'settings',
    changes: [
      'src/*.ts',
      '!src/{calendar,call,dates,deadline,errors,issues,money,msw,objects,payment-facts,pollution}.ts',
    ],
    tests: [
      'test/{client,options,settings,version}.test.ts',
      'test/{transport/{call-options,request},schemas/request-validation}.test.ts',
      'test/faults/{pollution,urls}.test.ts',
    ],
    goal: 90,
  },
  {
    name: 'pagination',
    changes: ['src/pagination/*.ts', 'src/resources/lists.ts'],
    tests: ['test/pagination/*.test.ts', 'test/faults/paging.test.ts'],
    goal: 90,
  },
  {
    name: 'operations',
    changes: ['src/{contract,resources}/*.ts', '!src/resources/lists.ts'],
    tests: [
      'test/{client,client-sessions,loyalty,observability,operations,payment-instruments,payments,reconcile,wait}.test.ts',
      'test/{transport/{advice,arguments,request},schemas/request-{bodies,fields}}.test.ts',
      'test/{conformance/authentication,faults/{idempotency,retries}}.test.ts',
    ],
    goal: 90,
  },
  {
    name: 'schemas',
    // guards.ts is generated, and test/schemas/guards.test.ts compares it with the schemas.
    changes: ['src/schemas/*.ts'],
    tests: [
      'test/schemas/*.test.ts',
      'test/{transport/{arguments,request},client-sessions,loyalty,observability,payments}.test.ts',
    ],
    goal: 90,
    remembers: 'src/schemas/*.ts',
  },
  {
    name: 'sandbox',
    changes: ['src/msw.ts', 'src/sandbox/**/*.ts'],
    tests: ['test/msw.test.ts', 'test/sandbox/*.test.ts', 'test/conformance/*.test.ts'],
    goal: 90,
  },
  { name: 'cli', changes: ['src/cli/*.ts'], tests: ['test/cli/*.test.ts'], goal: 90 },
]

/** A change that no test can notice, and why. */
export interface Survivor {
  file: string
  /** The line as it becomes; several are joined into one. */
  became: string
  because: string
  /** How many places become so. @default 1 */
  places?: number
}

export const survivors: readonly Survivor[] = [
  {
    file: 'src/errors.ts',
    became: 'if (!(value instanceof Error && marker in value)) return ["Stryker was here"]',
    because: 'the text that stands there then is the name of no class',
  },
  {
    file: 'src/errors.ts',
    became: 'const names: string[] = ["Stryker was here"]',
    because: 'the text that stands there then is the name of no class',
  },
  {
    file: 'src/errors.ts',
    became: 'while (true && marker in prototype) {',
    because: 'our mark ends before the chain of prototypes does',
  },
  {
    file: 'src/errors.ts',
    became:
      'function describeAnswer({ status, errorId = "Stryker was here!", quote, retryAfterMs }: FailedAnswer, hint?: string): string {',
    because: 'what is no name is not printed, like no name at all',
  },
  {
    file: 'src/call.ts',
    became: 'static override get [Symbol.species](): PromiseConstructor {}',
    because: 'without a species, derived promises are plain ones too',
  },
  {
    file: 'src/deadline.ts',
    became: "const onAbort = () => interrupt({ kind: 'abort', reason: caller.reason })",
    because: 'only the signal of a caller calls this, so there is one',
  },
  {
    file: 'src/transport/answer.ts',
    became: 'function details(validationErrors: readonly ServiceValidationError[] = ["Stryker was here"]): string[] {',
    because: 'a text has no errors, so it adds nothing, like an empty list',
  },
  {
    file: 'src/transport/body.ts',
    became: 'for (let index = deepest - 1; index <= text.length; index += deepest) {',
    because: 'nothing closes behind the end of a text',
  },
  ...['const around = isClosing(text.charCodeAt(index)) && text', 'return true'].map((became) => ({
    file: 'src/transport/body.ts',
    became,
    because: 'a shortcut: to look at more finds the same',
  })),
  {
    file: 'src/transport/call-options.ts',
    became: 'return true && Object.hasOwn(rules, name)',
    because: 'no rule has a number for a name',
  },
  {
    file: 'src/transport/failure.ts',
    became:
      'return (answer?.status === 409 || answer?.status === 400) && errorId.test(answer.errorId ?? "Stryker was here!")',
    because: 'the text that stands there then does not end so either',
  },
  {
    file: 'src/transport/failure.ts',
    became: 'function codeOf({ errorId = "Stryker was here!", status }: FailedAnswer): string {',
    because: 'the text that stands there then is no name either',
  },
  {
    file: 'src/transport/failure.ts',
    became: "return status >= 300 && status <= 400 && method === 'GET' ? 'rejected' : 'unknown'",
    because: 'the line before has answered for 400',
  },
  {
    file: 'src/transport/failure.ts',
    became: "return false ? 'unknown' : outcomeOfCutAnswer(status)",
    because: 'no status is in none of the ranges, which is unknown too',
  },
  {
    file: 'src/transport/history.ts',
    became: 'const status = success?.answer.status ?? failure.status',
    because: 'what is no success is a failure',
  },
  ...[
    'if (false) return given',
    "if (store === undefined && (given !== undefined && idempotency === 'off')) return given",
    "if (store === undefined && (false || idempotency === 'off')) return given",
    'if (store === undefined && (given !== undefined || false)) return given',
    'if (store === undefined && (given !== undefined || idempotency === "")) return given',
  ].map((became) => ({
    file: 'src/transport/idempotency-key.ts',
    became,
    because: 'a shortcut: what follows comes to the same',
  })),
  {
    file: 'src/transport/key-store.ts',
    became: 'throw new TypeError("")',
    because: 'what is reported is that the store failed',
  },
  {
    file: 'src/transport/node-body.ts',
    became: 'resolve(parse(decodeText(false ? (chunks[0] as Buffer) : Buffer.concat(chunks))))',
    because: 'a shortcut: one part put together is the same part',
  },
  {
    file: 'src/transport/node-body.ts',
    became: "if (true) incoming.on('error', fail)",
    because: 'who fails twice has failed once',
  },
  ...['if (false) return known', ';'].map((became) => ({
    file: 'src/transport/node-http.ts',
    became,
    because: 'a shortcut: worked out again, a destination is the same',
  })),
  ...['answered = false', "if (true) reject(new Error('closed without an answer'))"].map((became) => ({
    file: 'src/transport/node-http.ts',
    became,
    because: 'what has resolved cannot be rejected',
  })),
  ...['reject(new Error(""))', 'if (!answered) reject(new Error(""))'].map((became) => ({
    file: 'src/transport/node-http.ts',
    became,
    because: 'what is reported of an error is the code of the system, which these do not have',
  })),
  {
    file: 'src/transport/observer.ts',
    became:
      // biome-ignore lint/suspicious/noTemplateCurlyInString: code, shown as it is.
      "const kind = `${event.operation} ${issue.path.map((key) => (typeof key === 'number' ? \"\" : key)).join('.')} ${issue.message}`",
    because: 'two points in a row tell a list as well',
  },
  {
    file: 'src/transport/observer.ts',
    became: 'if (true) result.catch(() => {})',
    because: 'what is no promise has no catch, and the TypeError goes where every failure of a logger goes',
  },
  {
    file: 'src/transport/request.ts',
    became: 'return false ? undefined : params[operation.paymentParam]',
    because: 'no parameter has the name undefined',
  },
  {
    file: 'src/transport/request.ts',
    became: 'class: options.resend === true ? "" : operation.onceIf?.(body) ? \'once\' : operation.class,',
    because: 'every class but once may be repeated',
  },
  {
    file: 'src/transport/request.ts',
    became: 'true && isCallOption(issue.path[0]) && issue.message.startsWith(notAField)',
    because: 'no field that holds others has the name of an option',
  },
  {
    file: 'src/transport/request.ts',
    became: 'else if (true) spelled.set(names[name] as string, text)',
    because: 'unknown parameters have been refused',
  },
  {
    file: 'src/transport/request.ts',
    became: "if (false) return value.map(spell).join(',')",
    because: 'lists hold texts only, which JavaScript joins by commas too',
  },
  {
    file: 'src/transport/request.ts',
    became:
      'if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Stryker was here!" : value.toISOString()',
    because: 'a date that is none has been refused before',
  },

  {
    file: 'src/transport/history.ts',
    became: 'const outcome = failure?.outcome ?? ""',
    because: 'what is no outcome outweighs none',
  },
  {
    file: 'src/transport/history.ts',
    became: 'if (weight[outcome] >= weight[this.#outcome]) this.#outcome = outcome',
    because: 'outcomes of one weight are the same outcome',
  },
  {
    file: 'src/transport/observer.ts',
    became: 'if (false) return',
    because: 'the TypeError goes where every failure of a logger goes',
  },
  {
    file: 'src/transport/request.ts',
    became: 'return false ? undefined : JSON.stringify(body)',
    because: 'JSON.stringify makes undefined of undefined',
  },
  {
    file: 'src/transport/result.ts',
    became: 'const ok = true && answer.status < 300',
    because: 'no carrier brings an answer with a status below 200',
  },
  {
    file: 'src/transport/result.ts',
    became: 'if (false) return success(answer, undefined)',
    because: 'a shortcut: operations without a result take anything',
  },
  {
    file: 'src/transport/result.ts',
    became: 'if (false) return success(answer, body)',
    because: 'a shortcut: the schema says the same',
  },

  {
    file: 'src/transport/retry-after.ts',
    became: `const from = parseHttpDate(headers.get('date') ?? "Stryker was here!") ?? Date.now()`,
    because: 'the text that stands there then is no date either',
  },
  ...[
    'const rfc850 = /(\\w{3})\\w{3,6}, (\\d\\d)-(\\w{3})-(\\d\\d) ([\\d:]{8} GMT)$/ // Sunday, 06-Nov-94 08:49:37 GMT',
    'const rfc850 = /^(\\w{3})\\w{3,6}, (\\d\\d)-(\\w{3})-(\\d\\d) ([\\d:]{8} GMT)/ // Sunday, 06-Nov-94 08:49:37 GMT',
    'const asctime = /(\\w{3}) (\\w{3}) ([ \\d]\\d) ([\\d:]{8}) (\\d{4})$/ // Sun Nov 6 08:49:37 1994',
    'const asctime = /^(\\w{3}) (\\w{3}) ([ \\d]\\d) ([\\d:]{8}) (\\d{4})/ // Sun Nov 6 08:49:37 1994',
  ].map((became) => ({
    file: 'src/transport/retry-after.ts',
    became,
    because: 'whatever stands around the date makes it longer than a date is',
  })),
  {
    file: 'src/transport/runtime.ts',
    became: 'if (true) {',
    because: 'a shortcut: judged again, a fetch is the same',
  },
  {
    file: 'src/transport/runtime.ts',
    became:
      'const source = typeof fetch === \'function\' ? Function.prototype.toString.call(fetch) : "Stryker was here!"',
    because: 'the text that stands there then is no source of Node’s either',
  },
  {
    file: 'src/transport/system-error.ts',
    became: 'super("", { cause })',
    because: 'nobody sees this message: what is reported is the cause',
  },
  {
    file: 'src/transport/transport.ts',
    became: 'return (operation.identifiedBy ?? ["Stryker was here"]).every(',
    because: 'neither side has a field of that name',
  },
  {
    file: 'src/transport/transport.ts',
    became: 'throw history.toError(error instanceof AbortedError ? aborted("", error.reason) : conflict)',
    because: 'the outcome is that of the attempts before',
  },
  {
    file: 'src/transport/transport.ts',
    became: 'if (true && (asked > longestRetryAfter || asked >= deadline.remaining))',
    because: 'nothing is less than what was not asked for',
  },
  {
    file: 'src/transport/url.ts',
    became: 'return problem ? "" : encodeURIComponent(params[name] as string)',
    because: 'with a problem nothing is sent',
  },
  {
    file: 'src/webhooks/body.ts',
    became: 'if (false) return false',
    because: 'a shortcut: what it decides, the next line decides alike',
  },
  {
    file: 'src/webhooks/body.ts',
    became: 'if (body.length * 3 < maxBytes) return false',
    because: 'a shortcut: what it decides, the next line decides alike',
  },
  {
    file: 'src/webhooks/body.ts',
    became: 'return false || new TextEncoder().encode(body).byteLength > maxBytes',
    because: 'a shortcut: text never has fewer bytes than letters',
  },
  {
    file: 'src/webhooks/event.ts',
    became: "if (false || payload === null || !Object.hasOwn(payload, 'eventType')) return ''",
    because: 'nothing that JSON holds has an eventType but objects',
  },
]

/** Thrown if no connection was established, so no request was sent. */
export class Unconnected extends Error {
  /** @param proxy Host and port of the proxy to which the connection failed. */
  constructor(
    cause: unknown,
    readonly proxy?: string,
  ) {
    super(undefined, { cause })
  }
}

/**
 * Error codes that occur only before a connection exists. Does not include TLS codes, because corrupt data on an open
 * connection can also cause them.
 */
const connectCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  // Codes from Bun 1.4 and Deno 2.9.
  'ConnectionRefused',
  'FailedToOpenSocket',
])

/** Wraps an error from the runtime's own fetch in `Unconnected` if no connection was established. */
export function markUnconnected(error: unknown): unknown {
  return isConnectFailure(error) ? new Unconnected(error) : error
}

/**
 * Returns whether an error or one of its causes is a connect failure. If the runtime tried several connections in
 * parallel, all of them must have failed to connect.
 */
function isConnectFailure(error: unknown, depth = 0): boolean {
  if (depth >= maxDepth) return false
  const { code, syscall, cause, errors } = Object(error)
  if (Array.isArray(errors) && errors.length > 0) return errors.every((inner) => isConnectFailure(inner, depth + 1))
  return (
    connectCodes.has(String(code)) ||
    syscall === 'connect' ||
    syscall === 'getaddrinfo' ||
    isCertificateProblem(String(code)) ||
    isConnectFailure(cause, depth + 1)
  )
}

const maxDepth = 8

/** Returns whether the runtime tried several connections in parallel and at least one failed for another reason. */
export function hasOtherCause(error: unknown): boolean {
  return Array.isArray(Object(error).errors) && !isConnectFailure(error)
}

/** Returns whether the server's certificate was rejected. A retry would fail in the same way. */
export function isCertificateProblem(code: string): boolean {
  return /^(ERR_TLS_CERT_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA)/.test(code)
}

/**
 * Returns whether TLS failed because the certificate is invalid, or because client and server have no protocol in
 * common. A retry would fail in the same way.
 */
export function isTlsFailure(code: string): boolean {
  return isCertificateProblem(code) || /^(ERR_TLS_|ERR_SSL_|EPROTO$)/.test(code)
}

export function systemCode(error: unknown): string {
  let current = error
  for (let depth = 0; typeof current === 'object' && current !== null && depth < maxDepth; depth++) {
    const { code, cause, errors } = current as { code?: unknown; cause?: unknown; errors?: unknown[] }
    if (typeof code === 'string' && /^[A-Z][\w./-]{1,59}$/.test(code)) return code
    current = cause ?? errors?.[0]
  }
  return 'ERR_NETWORK'
}

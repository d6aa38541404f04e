/** A connection never stood, so that no byte of the request can have arrived. */
export class Unconnected extends Error {
  constructor(cause: unknown) {
    super('no connection', { cause })
  }
}

/**
 * Codes that only the making of a connection brings. Those of TLS itself are not among them: a damaged record has one too,
 * when the request has long arrived.
 */
const connectingCodes = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  // Bun and Deno
  'ConnectionRefused',
  'FailedToOpenSocket',
])

/** An error of a fetch, marked where it says that there never was a connection. */
export function markUnconnected(error: unknown): unknown {
  return neverConnected(error) ? new Unconnected(error) : error
}

function neverConnected(error: unknown): boolean {
  return causes(error).some((cause) => {
    const { code, syscall } = cause as { code?: unknown; syscall?: unknown }
    return (
      connectingCodes.has(String(code)) ||
      syscall === 'connect' ||
      syscall === 'getaddrinfo' ||
      isCertificateProblem(String(code))
    )
  })
}

function isCertificateProblem(code: string): boolean {
  return /^(ERR_TLS_CERT_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA)/.test(code)
}

/** The certificate was refused, or there was no common language. Another try would meet the same. */
export function isTlsFailure(code: string): boolean {
  return isCertificateProblem(code) || /^(ERR_TLS_|ERR_SSL_|EPROTO$)/.test(code)
}

/** The system's code for a failed connection, looked for down the chain of causes. */
export function systemCode(error: unknown): string {
  for (const cause of causes(error)) {
    const { code } = cause as { code?: unknown }
    if (typeof code === 'string' && /^[A-Z][\w./-]{1,59}$/.test(code)) return code
  }
  return 'ERR_NETWORK'
}

function causes(error: unknown): object[] {
  const chain: object[] = []
  let current = error
  while (typeof current === 'object' && current !== null && chain.length < 8) {
    chain.push(current)
    const { cause, errors } = current as { cause?: unknown; errors?: unknown[] }
    current = cause ?? errors?.[0]
  }
  return chain
}

import http from 'node:http'
import https from 'node:https'

/**
 * Replaces `https` with `http` for a package that requires TLS, so that only its other work is measured. The package still
 * manages its own connections.
 */
export function withoutTls({ port }) {
  https.Agent = http.Agent
  https.request = (options, ...rest) =>
    http.request({ ...options, protocol: 'http:', hostname: '127.0.0.1', port }, ...rest)
}

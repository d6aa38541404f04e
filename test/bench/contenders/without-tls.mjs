import http from 'node:http'
import https from 'node:https'

/**
 * Replaces `https` with `http` in a package that requires TLS, so that TLS does not count. The package still manages
 * its own connections.
 */
export function withoutTls({ port }) {
  https.Agent = http.Agent
  https.request = (options, ...rest) =>
    http.request({ ...options, protocol: 'http:', hostname: '127.0.0.1', port }, ...rest)
}

import http from 'node:http'
import https from 'node:https'

/**
 * Replaces https by http in the process of a package that requires TLS, so that its other work can be compared. The
 * package's own handling of connections stays.
 */
export function withoutTls({ port }) {
  https.Agent = http.Agent
  https.request = (options, ...rest) =>
    http.request({ ...options, protocol: 'http:', hostname: '127.0.0.1', port }, ...rest)
}

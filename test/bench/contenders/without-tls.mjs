import http from 'node:http'
import https from 'node:https'

/**
 * Some packages speak TLS only. In their process http stands in for https, so that the work they do beside TLS can be
 * compared. How they keep or drop connections is left as it is.
 */
export function withoutTls({ port }) {
  https.Agent = http.Agent
  https.request = (options, ...rest) =>
    http.request({ ...options, protocol: 'http:', hostname: '127.0.0.1', port }, ...rest)
}

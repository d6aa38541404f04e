/** Returns an agent's option `proxyEnv`: environment variables such as `HTTPS_PROXY`. */
export function proxiesOf(agent: object): NodeJS.ProcessEnv | undefined {
  return Object(Reflect.get(agent, 'options')).proxyEnv
}

/** Returns the proxy of an agent: from its option `proxyEnv`, or from the property `proxy` of https-proxy-agent. */
export function proxyOf(agent: object, protocol: string): URL | undefined {
  const { https_proxy, HTTPS_PROXY, http_proxy, HTTP_PROXY } = proxiesOf(agent) ?? {}
  const proxy = protocol === 'https:' ? https_proxy || HTTPS_PROXY : http_proxy || HTTP_PROXY
  return URL.parse(proxy ?? String(Reflect.get(agent, 'proxy'))) ?? undefined
}

/** Returns whether the connection to or through this proxy failed before the service received anything. */
export function isFailureOf(proxy: URL, error: Error): boolean {
  const { code, syscall, hostname, port } = Object(error instanceof AggregateError ? error.errors[0] : error)
  if (code === 'ERR_PROXY_TUNNEL') return true
  const isPort = syscall === 'connect' && port === Number(proxy.port || (proxy.protocol === 'https:' ? 443 : 80))
  return isPort || hostname === proxy.hostname
}

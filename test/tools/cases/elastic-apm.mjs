import apm from 'elastic-apm-node'
import { wireCases } from '../support.mjs'

export default function start() {
  apm.start({
    serviceName: 'shop',
    serverUrl: 'http://127.0.0.1:9',
    // Sends no data over the network.
    disableSend: true,
    centralConfig: false,
    cloudProvider: 'none',
    metricsInterval: '0s',
    logLevel: 'off',
  })
  const within = async (work) => {
    const transaction = apm.startTransaction('checkout', 'custom')
    return work().finally(() => transaction.end())
  }
  return wireCases({ within, trace: ['traceparent'], added: ['tracestate', 'elastic-apm-traceparent'] })
}

import newrelic from 'newrelic'
import { wireCases } from '../support.mjs'

export default function start() {
  const within = (work) => newrelic.startBackgroundTransaction('checkout', work)
  return wireCases({ within, trace: ['traceparent'], added: ['tracestate', 'newrelic'] })
}

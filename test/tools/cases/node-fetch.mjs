import fetch from 'node-fetch'
import { wireCases } from '../support.mjs'

export default () => wireCases({ client: { fetch } })

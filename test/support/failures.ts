export { errorResponse as refused, failureOf } from './clients.js'

export { failureOf } from './clients.js'

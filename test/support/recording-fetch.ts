export { aClient, aNewKey, sent } from './clients.js'

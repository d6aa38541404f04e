export { aClient, aNewKey, apiKey, baseUrl, type SentRequest, sent } from './clients.js'

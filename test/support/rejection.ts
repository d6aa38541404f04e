export { issuesOf, rejectionOf as refusal } from './clients.js'

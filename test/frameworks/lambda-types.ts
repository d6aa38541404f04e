import type { ALBHandler, APIGatewayProxyHandler, APIGatewayProxyHandlerV2 } from 'aws-lambda'
import { webhooks } from './guides/aws-lambda-postgres/functions.js'

export const handlers: [APIGatewayProxyHandler, APIGatewayProxyHandlerV2, ALBHandler] = [webhooks, webhooks, webhooks]

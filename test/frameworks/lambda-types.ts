import type { ALBHandler, APIGatewayProxyHandler, APIGatewayProxyHandlerV2 } from 'aws-lambda'
import { handler } from './aws-lambda.js'

export const handlers: [APIGatewayProxyHandler, APIGatewayProxyHandlerV2, ALBHandler] = [handler, handler, handler]

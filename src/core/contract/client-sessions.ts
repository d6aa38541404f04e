import {
  ClientSessionSchema,
  ClientSessionV21Schema,
  CreateClientSessionBodySchema,
  CreateClientSessionBodyV21Schema,
  CreatedClientSessionSchema,
  CreatedClientSessionV21Schema,
  GetClientSessionParamsSchema,
  UpdateClientSessionBodySchema,
  UpdateClientSessionBodyV21Schema,
} from '../schemas/client-session.js'
import { defineOperation } from './operation.js'

const session = { order: ClientSessionSchema, lineItems: ClientSessionV21Schema }

export const create = defineOperation({
  name: 'clientSessions.create',
  summary: 'Create a client session and its client token',
  method: 'POST',
  path: '/client-session',
  scope: 'client_tokens:write',
  class: 'once',
  resendable: true,
  body: { order: CreateClientSessionBodySchema, lineItems: CreateClientSessionBodyV21Schema },
  bodyDefault: {},
  response: { order: CreatedClientSessionSchema, lineItems: CreatedClientSessionV21Schema },
})

export const get = defineOperation({
  name: 'clientSessions.get',
  summary: 'Get a client session',
  method: 'GET',
  path: '/client-session',
  class: 'safe',
  query: { schema: GetClientSessionParamsSchema, names: { clientToken: 'clientToken' } },
  response: session,
})

export const update = defineOperation({
  name: 'clientSessions.update',
  summary: 'Update a client session',
  method: 'PATCH',
  path: '/client-session',
  class: 'once',
  resendable: true,
  body: { order: UpdateClientSessionBodySchema, lineItems: UpdateClientSessionBodyV21Schema },
  response: session,
})

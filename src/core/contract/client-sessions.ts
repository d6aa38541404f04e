import {
  ClientSession,
  ClientSessionV21,
  CreateClientSessionBody,
  CreateClientSessionBodyV21,
  CreatedClientSession,
  CreatedClientSessionV21,
  GetClientSessionParams,
  UpdateClientSessionBody,
  UpdateClientSessionBodyV21,
} from '../schemas/client-session.js'
import { defineOperation } from './operation.js'

const session = { order: ClientSession, lineItems: ClientSessionV21 }

export const create = defineOperation({
  name: 'clientSessions.create',
  summary: 'Create a client session and its client token',
  method: 'POST',
  path: '/client-session',
  scope: 'client_tokens:write',
  class: 'once',
  resendable: true,
  body: { order: CreateClientSessionBody, lineItems: CreateClientSessionBodyV21 },
  bodyDefault: {},
  response: { order: CreatedClientSession, lineItems: CreatedClientSessionV21 },
})

export const get = defineOperation({
  name: 'clientSessions.get',
  summary: 'Get a client session',
  method: 'GET',
  path: '/client-session',
  class: 'safe',
  query: { schema: GetClientSessionParams, names: { clientToken: 'clientToken' } },
  response: session,
})

export const update = defineOperation({
  name: 'clientSessions.update',
  summary: 'Update a client session',
  method: 'PATCH',
  path: '/client-session',
  class: 'once',
  resendable: true,
  body: { order: UpdateClientSessionBody, lineItems: UpdateClientSessionBodyV21 },
  response: session,
})

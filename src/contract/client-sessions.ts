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
import { answers, bodies, changes, defineOperation } from './operation.js'

const session = answers(ClientSession, ClientSessionV21)

export const create = defineOperation({
  name: 'clientSessions.create',
  summary: 'Create a client session and its client token',
  method: 'POST',
  path: '/client-session',
  scope: 'client_tokens:write',
  class: 'once',
  resendable: true,
  body: bodies(CreateClientSessionBody, CreateClientSessionBodyV21),
  bodyDefault: {},
  response: answers(CreatedClientSession, CreatedClientSessionV21),
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
  body: changes(UpdateClientSessionBody, UpdateClientSessionBodyV21),
  response: session,
})

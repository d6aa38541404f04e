import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as postgres from 'payments-client/postgres'
import { sign } from 'payments-client/webhooks'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { evaluate } from '../support/snippets.js'
import { driver } from './drivers.js'

it('examples/webhooks/postgres.ts keeps the newest status of a payment', async () => {
  const url = new URL(inject('postgresUrl'))
  const { Pool } = driver('pg')
  const pool = new Pool({ connectionString: url.href })
  onTestFinished(() => pool.end())
  await pool.query('CREATE DATABASE webhook_server')
  url.pathname = 'webhook_server'
  const secret = 'a secret of at least 16 bytes'
  vi.stubEnv('DATABASE_URL', url.href)
  vi.stubEnv('PAYMENTS_WEBHOOK_SECRET', secret)
  onTestFinished(() => void vi.unstubAllEnvs())
  const listeners: RequestListener[] = []
  const express = () => ({ post: (_: string, listener: RequestListener) => listeners.push(listener), listen: () => {} })
  const pools: { query(sql: string): Promise<{ rows: unknown[] }>; end(): Promise<void> }[] = []
  class GuidePool extends Pool {
    constructor(options: object) {
      super(options)
      pools.push(this as never)
    }
  }
  const code = readFileSync('examples/webhooks/postgres.ts', 'utf8')
  await evaluate(code, {}, { express, pg: { Pool: GuidePool }, 'payments-client/postgres': postgres })
  const [orders] = pools
  onTestFinished(() => orders?.end())
  const server = createServer(listeners[0]).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const deliver = async (id: string, status: string, second: number) => {
    const event = { eventType: 'PAYMENT.STATUS', date: `2026-03-02T09:00:0${second}Z`, payment: { id, status } }
    const body = JSON.stringify(event)
    const init = { method: 'POST', headers: { ...sign(body, secret) }, body }
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, init)
    expect(response.status).toBe(200)
  }

  await deliver('an older event with a new date', 'CANCELLED', 3)
  await deliver('an older event with a new date', 'AUTHORIZED', 5)
  await deliver('an older event with its old date', 'AUTHORIZED', 3)
  await deliver('an older event with its old date', 'PENDING', 1)
  await deliver('a newer event with an older date', 'AUTHORIZED', 5)
  await deliver('a newer event with an older date', 'SETTLED', 3)

  expect((await orders?.query('SELECT payment_id, status, changes FROM orders ORDER BY 1'))?.rows).toEqual([
    { payment_id: 'a newer event with an older date', status: 'SETTLED', changes: 2 },
    { payment_id: 'an older event with a new date', status: 'CANCELLED', changes: 1 },
    { payment_id: 'an older event with its old date', status: 'AUTHORIZED', changes: 1 },
  ])
})

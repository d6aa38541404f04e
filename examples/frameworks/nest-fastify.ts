// Starts the NestJS server of docs/guides/frameworks.md on Fastify.
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { AppModule } from './app.js'

const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), { rawBody: true })
app.enableShutdownHooks()
await app.listen(process.env['PORT'] ?? 3000) // in a container, also pass '0.0.0.0'
console.log('listening on', app.getHttpServer().address())

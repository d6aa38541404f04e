// The usual mistake: without `rawBody: true`, only the parsed body is available.
import 'reflect-metadata'
import { Controller, Module, Post, Req, Res } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { createHandler, type NodeRequest, type NodeResponse, toNodeListener } from 'payments-client/webhooks'

const listener = toNodeListener(
  createHandler({
    secret: () => process.env['PAYMENTS_WEBHOOK_SECRET'] ?? '',
    on: {
      'PAYMENT.STATUS': async ({ payment }) => console.log(`${payment.id} is ${payment.status}`),
    },
    onError: (error) => console.error(String(error)),
  }),
)

@Controller('webhooks')
class WebhooksController {
  @Post()
  receive(@Req() request: NodeRequest, @Res() response: NodeResponse) {
    return listener(request, response)
  }
}

@Module({ controllers: [WebhooksController] })
class AppModule {}

const app =
  process.env['PLATFORM'] === 'fastify'
    ? await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter())
    : await NestFactory.create(AppModule)
await app.listen(Number(process.env['PORT'] ?? 3000))
console.log('listening on', app.getHttpServer().address())

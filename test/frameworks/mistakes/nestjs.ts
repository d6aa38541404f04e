// Two usual mistakes: without `rawBody: true`, only the parsed body is available, and no error handler exists.
import 'reflect-metadata'
import { Controller, Get, Module, Param, Post, Req, Res } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { PaymentsClient } from 'payments-client'
import { createHandler, type NodeRequest, type NodeResponse, toNodeListener } from 'payments-client/webhooks'

const client = new PaymentsClient()
const listener = toNodeListener(
  createHandler({
    secret: process.env['PAYMENTS_WEBHOOK_SECRET'] ?? '',
    onError: (error) => console.error(String(error)),
  }),
)

@Controller()
class ShopController {
  @Get('payments/:id')
  get(@Param('id') id: string) {
    return client.payments.get(id)
  }

  @Post('webhooks')
  receive(@Req() request: NodeRequest, @Res() response: NodeResponse) {
    return listener(request, response)
  }
}

@Module({ controllers: [ShopController] })
class AppModule {}

const app =
  process.env['PLATFORM'] === 'fastify'
    ? await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter())
    : await NestFactory.create(AppModule)
await app.listen(Number(process.env['PORT']))
console.log('listening on', app.getHttpServer().address())

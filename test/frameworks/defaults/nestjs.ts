import 'reflect-metadata'
import { Controller, Get, Module, Param } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { PaymentsClient } from 'payments-client'

const client = new PaymentsClient()

@Controller('payments')
class PaymentsController {
  @Get(':id')
  get(@Param('id') id: string) {
    return client.payments.get(id)
  }
}

@Module({ controllers: [PaymentsController] })
class AppModule {}

const app =
  process.env['PLATFORM'] === 'fastify'
    ? await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter())
    : await NestFactory.create(AppModule)
await app.listen(Number(process.env['PORT']))
console.log('listening on', app.getHttpServer().address())

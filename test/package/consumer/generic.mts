import { type ApiVersion, PaymentsClient } from 'payments-client'

export class Shop<V extends ApiVersion> {
  readonly client: PaymentsClient<V>

  constructor(apiVersion: V) {
    this.client = new PaymentsClient({ apiVersion })
  }

  get(id: string) {
    return this.client.payments.get(id)
  }
}

/** Where a customer's points are kept: each connection has its own. */
export function balanceKey(connectionId: string, customerId: string): string {
  return JSON.stringify([connectionId, customerId])
}

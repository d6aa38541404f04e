import * as contract from './index.js'
import type { AnyOperation } from './operation.js'

export function allOperations(): AnyOperation[] {
  return operationsIn(contract)
}

function operationsIn(group: object): AnyOperation[] {
  return Object.values(group).flatMap((entry: object) =>
    'method' in entry ? (entry as AnyOperation) : operationsIn(entry),
  )
}

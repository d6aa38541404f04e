import { handlers } from 'payments-client/msw'
import { createSandbox } from 'payments-client/sandbox'

const [first] = handlers(createSandbox())
export const header: string | undefined = first?.info.header

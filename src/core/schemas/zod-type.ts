import type * as z from 'zod/mini'

/** A zod schema for values of type `T`. */
export type Zod<T> = z.ZodMiniType<T>

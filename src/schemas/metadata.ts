import * as z from 'zod/mini'
import { map, type Schema, scalar, type Zod } from './schema.js'

/** Your own data, as the service returns it. A `null` in here stays a `null`. */
export type Metadata = Record<string, unknown>

/** Your own data, as you send it: only strings and integers. */
export type MetadataInput = Record<string, string | number>

/** What the service returns: an object, whatever is in it. Checked without walking through it. */
export const Metadata: Schema<Metadata> = scalar(() =>
  z.custom<Metadata>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: 'must be an object',
  }),
)

const metadataValue: Schema<string | number> = scalar(
  () =>
    z.custom<string | number>(
      (value) => typeof value === 'string' || (Number.isSafeInteger(value) && !Object.is(value, -0)),
      { error: 'must be a string or an integer' },
    ) as Zod<string | number>,
)

export const MetadataInput: Schema<MetadataInput> = map(metadataValue)

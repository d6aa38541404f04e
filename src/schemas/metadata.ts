import * as z from 'zod/mini'
import { map, type Schema, scalar, valueThat } from './schema.js'

/** Your own data, as the service returns it. A `null` in here stays a `null`. */
export type Metadata = Record<string, unknown>

/** Your own data, as you send it: only strings and integers. */
export type MetadataInput = Record<string, string | number>

/** What the service returns: an object, whatever is in it. Checked without walking through it. */
export const Metadata: Schema<Metadata> = scalar(() => z.looseObject({}))

const metadataValue: Schema<string | number> = scalar(() =>
  valueThat(
    (value) => typeof value === 'string' || (Number.isSafeInteger(value) && !Object.is(value, -0)),
    'must be a string or an integer',
  ),
)

export const MetadataInput: Schema<MetadataInput> = map(metadataValue)

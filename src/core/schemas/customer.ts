import * as z from 'zod'
import { absent, countryCode, type ObjectSchema, object } from './schema.js'

/** A postal address. */
export interface Address {
  firstName?: string
  lastName?: string
  addressLine1?: string
  addressLine2?: string
  city?: string
  /** State, province or region. */
  state?: string
  /** Two-letter country code, e.g. `DE`. */
  countryCode?: string
  postalCode?: string
}

export const AddressSchema: ObjectSchema<Address> = object({
  firstName: absent(z.string()),
  lastName: absent(z.string()),
  addressLine1: absent(z.string()),
  addressLine2: absent(z.string()),
  city: absent(z.string()),
  state: absent(z.string()),
  countryCode: absent(countryCode),
  postalCode: absent(z.string()),
})

/** The person who pays. */
export interface Customer {
  emailAddress?: string
  mobileNumber?: string
  firstName?: string
  lastName?: string
  billingAddress?: Address
  shippingAddress?: Address
  /** Tax number of the customer. */
  taxId?: string
  /** Number of a national identity document. */
  nationalDocumentId?: string
}

export const CustomerSchema: ObjectSchema<Customer> = object({
  emailAddress: absent(z.string()),
  mobileNumber: absent(z.string()),
  firstName: absent(z.string()),
  lastName: absent(z.string()),
  billingAddress: absent(AddressSchema),
  shippingAddress: absent(AddressSchema),
  taxId: absent(z.string()),
  nationalDocumentId: absent(z.string()),
})

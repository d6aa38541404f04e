import { countryCode, text } from './scalars.js'
import { object, optional } from './schema.js'

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

export const Address = object<Address>(() => ({
  firstName: optional(text),
  lastName: optional(text),
  addressLine1: optional(text),
  addressLine2: optional(text),
  city: optional(text),
  state: optional(text),
  countryCode: optional(countryCode),
  postalCode: optional(text),
}))

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

export const Customer = object<Customer>(() => ({
  emailAddress: optional(text),
  mobileNumber: optional(text),
  firstName: optional(text),
  lastName: optional(text),
  billingAddress: optional(Address),
  shippingAddress: optional(Address),
  taxId: optional(text),
  nationalDocumentId: optional(text),
}))

import { countryCode, object, text } from './schema.js'

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
  firstName: text,
  lastName: text,
  addressLine1: text,
  addressLine2: text,
  city: text,
  state: text,
  countryCode,
  postalCode: text,
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
  emailAddress: text,
  mobileNumber: text,
  firstName: text,
  lastName: text,
  billingAddress: Address,
  shippingAddress: Address,
  taxId: text,
  nationalDocumentId: text,
}))

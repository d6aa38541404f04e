import ts from 'typescript'
import { checker, descriptionOf, exportsOf } from '../docs/program.js'

export interface NamedType {
  readonly name: string
  readonly type: ts.Type
  readonly description: string | undefined
}

/** Returns the named schemas of a file in src/core/schemas: exports such as `PaymentSchema` of type `ObjectSchema<Payment>`. */
export function namedTypesIn(file: string): NamedType[] {
  const all = exportsOf(file)
  return all.flatMap((symbol) => {
    const [, name] = /^([A-Z]\w*)Schema$/.exec(symbol.name) ?? []
    if (!(symbol.flags & ts.SymbolFlags.Variable) || name === undefined) return []
    const schema = checker.getTypeOfSymbol(symbol)
    const [type] = schema.aliasTypeArguments ?? checker.getTypeArguments(schema as ts.TypeReference)
    if (type === undefined) throw new Error(`Annotate ${symbol.name} with the type of its values`)
    const description = [symbol, all.find((other) => other.name === name)]
      .map((each) => each && describe(each))
      .find(Boolean)
    return [{ name, type, description }]
  })
}

export interface Property {
  readonly type: ts.Type
  readonly description: string | undefined
}

/** The members of a union, or the type itself. */
function partsOf(type: ts.Type | undefined): readonly ts.Type[] {
  if (type === undefined) return []
  return type.isUnion() ? type.types : [type]
}

/** Returns a property of a type. Excludes `undefined` and `null` from the property's type. */
export function propertyOf(owner: ts.Type | undefined, name: string): Property | undefined {
  const symbols = partsOf(owner).flatMap((part) => checker.getPropertyOfType(part, name) ?? [])
  return symbols
    .map((symbol) => ({
      type: checker.getNonNullableType(checker.getTypeOfSymbol(symbol)),
      description: describe(symbol),
    }))
    .find(({ type }) => !(type.flags & ts.TypeFlags.Never))
}

/** Returns an array's item type or a map's value type. */
export function itemOf(type: ts.Type | undefined): ts.Type | undefined {
  return partsOf(type)
    .map((part) => checker.getIndexTypeOfType(part, ts.IndexKind.Number) ?? part.getStringIndexType())
    .find((item) => item !== undefined)
}

/** Returns the strings in a union, for example the known statuses of `PaymentStatus`. */
export function literalsIn(type: ts.Type | undefined): string[] {
  const parts = type?.isUnion() ? type.types : []
  const literals = parts.flatMap((part) => (part.isStringLiteral() ? [part.value] : literalsIn(itemOf(part))))
  return [...new Set(literals)]
}

export function includesDate(type: ts.Type | undefined): boolean {
  return partsOf(type).some(({ symbol }) => symbol?.name === 'Date')
}

export function includesArray(type: ts.Type | undefined): boolean {
  return partsOf(type).some((part) => checker.isArrayType(part))
}

/** Returns `string` if the type includes strings, and `integer` if it includes numbers. */
export function scalarsIn(type: ts.Type | undefined): string[] {
  // The only numbers without a schema are values in metadata, which must be integers.
  const names: Partial<Record<ts.TypeFlags, string>> = {
    [ts.TypeFlags.String]: 'string',
    [ts.TypeFlags.Number]: 'integer',
  }
  return partsOf(type).flatMap(({ flags }) => names[flags] ?? [])
}

function describe(symbol: ts.Symbol): string | undefined {
  const fallback = symbol.getJsDocTags(checker).find(({ name }) => name === 'default')
  const tag = fallback && `Default: ${ts.displayPartsToString(fallback.text)}.`
  return [descriptionOf(symbol), tag].filter(Boolean).join(' ') || undefined
}

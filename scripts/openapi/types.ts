import ts from 'typescript'
import { checker, program } from '../docs/program.js'

export interface NamedType {
  readonly name: string
  readonly type: ts.Type
  readonly description: string | undefined
}

/** Returns the named schemas of a file in src/schemas: exports such as `Payment`, whose type is `Schema<Payment>`. */
export function namedTypesIn(file: string): NamedType[] {
  const source = program.getSourceFile(file)
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) return []
  return checker.getExportsOfModule(module).flatMap((symbol) => {
    if (!(symbol.flags & ts.SymbolFlags.Variable) || !/^[A-Z]/.test(symbol.name)) return []
    const { aliasSymbol, aliasTypeArguments } = checker.getTypeOfSymbol(symbol)
    return aliasSymbol?.name === 'Schema' && aliasTypeArguments?.[0]
      ? [{ name: symbol.name, type: aliasTypeArguments[0], description: textOf(symbol) }]
      : []
  })
}

export interface Property {
  readonly type: ts.Type
  readonly description: string | undefined
}

/** Returns a property of a type. Excludes `undefined` and `null` from the property's type. */
export function propertyOf(type: ts.Type | undefined, name: string): Property | undefined {
  if (type === undefined) return undefined
  const own = type.isUnion() ? type.types : [type]
  for (const part of own) {
    const symbol = checker.getPropertyOfType(part, name)
    if (symbol === undefined) continue
    const of = checker.getNonNullableType(checker.getTypeOfSymbol(symbol))
    if (!(of.flags & ts.TypeFlags.Never)) return { type: of, description: textOf(symbol) }
  }
  return undefined
}

/** Returns an array's item type or a map's value type. */
export function itemOf(type: ts.Type | undefined): ts.Type | undefined {
  if (type === undefined) return undefined
  for (const part of type.isUnion() ? type.types : [type]) {
    const item = checker.getIndexTypeOfType(part, ts.IndexKind.Number) ?? part.getStringIndexType()
    if (item) return item
  }
  return undefined
}

/** Returns the strings in a union, for example the known statuses of `PaymentStatus`. */
export function literalsIn(type: ts.Type | undefined): string[] {
  const parts = type?.isUnion() ? type.types : []
  const literals = parts.flatMap((part) => (part.isStringLiteral() ? [part.value] : literalsIn(itemOf(part))))
  return [...new Set(literals)]
}

export function includesDate(type: ts.Type | undefined): boolean {
  const parts = type?.isUnion() ? type.types : [type]
  return parts.some((part) => part?.symbol?.name === 'Date')
}

export function includesArray(type: ts.Type | undefined): boolean {
  const parts = type?.isUnion() ? type.types : [type]
  return parts.some((part) => part !== undefined && checker.isArrayType(part))
}

function textOf(symbol: ts.Symbol): string | undefined {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker)).replace(/\s+/g, ' ').trim()
  const fallback = symbol.getJsDocTags(checker).find(({ name }) => name === 'default')
  const tag = fallback && `Default: ${ts.displayPartsToString(fallback.text)}.`
  return [text, tag].filter(Boolean).join(' ') || undefined
}

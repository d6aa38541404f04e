import ts from 'typescript'
import { anchor, cell } from './markdown.js'
import { checker, classes, declarations } from './program.js'

/** The types that were linked to; each becomes a section. */
const linked = new Set<string>()

/** The types whose fields stand where they are used, and where that is. They need no section of their own. */
export const shownAt = new Map<string, string>()

export function isDocumented(name: string | undefined): name is string {
  return name !== undefined && declarations.has(name)
}

export function nameOf(type: ts.Type): string | undefined {
  return type.aliasSymbol?.name ?? type.symbol?.name
}

/**
 * A table of the fields.
 *
 * @param spelling How the service spells them, where that differs.
 */
export function tableOf(type: ts.Type, spelling: Readonly<Record<string, string>> = {}): string[] {
  return table(fieldsOf(widest(type)).flatMap((field) => rowsOf(field, '', spelling)))
}

export function table(rows: readonly string[], first = 'field'): string[] {
  return rows.length === 0 ? [] : [`| ${first} | type | |`, '|---|---|---|', ...rows]
}

/** Of several forms the one with the most fields: the others leave some of them out. */
function widest(type: ts.Type): ts.Type {
  const forms = type.isUnion() ? type.types : [type]
  return forms.reduce((wide, form) => (fieldsOf(form).length > fieldsOf(wide).length ? form : wide))
}

function fieldsOf(type: ts.Type): ts.Symbol[] {
  return checker.getPropertiesOfType(type).filter((field) => typeNodeOf(field) !== undefined)
}

/** The type as written; `undefined` for a field that exists only to be refused. */
function typeNodeOf(field: ts.Symbol): ts.TypeNode | ts.MethodSignature | undefined {
  const [declaration] = field.getDeclarations() ?? []
  if (declaration && ts.isMethodSignature(declaration)) return declaration
  const node = declaration && ts.isPropertySignature(declaration) ? declaration.type : undefined
  return node?.kind === ts.SyntaxKind.NeverKeyword ? undefined : node
}

function rowsOf(field: ts.Symbol, prefix: string, spelling: Readonly<Record<string, string>>): string[] {
  const node = typeNodeOf(field)!
  const optional = field.flags & ts.SymbolFlags.Optional ? '?' : ''
  const name = `${prefix}${field.name}${optional}`
  const sentAs = spelling[field.name] ?? field.name
  const text = `${describe(field)}${defaultOf(field)}${sentAs === field.name ? '' : ` Sent as \`${sentAs}\`.`}`
  if (ts.isMethodSignature(node)) return [row(name, link(signatureText(node)), text)]
  if (!ts.isTypeLiteralNode(node)) return [row(name, typeText(node), text)]
  const inner = node.members.map((member) => checker.getSymbolAtLocation(member.name!)!)
  return [row(name, 'object', text), ...inner.flatMap((each) => rowsOf(each, `${name}.`, {}))]
}

export function row(name: string, type: string, text: string): string {
  return `| \`${name}\` | ${cell(type)} | ${cell(text)} |`
}

/** `(key: string) => string`, say. */
export function signatureText({ parameters, type }: ts.SignatureDeclaration, arrow = ' => '): string {
  const written = parameters.map((parameter) => `${nameWithMark(parameter)}: ${parameter.type?.getText()}`)
  return `(${written.join(', ')})${arrow}${type?.getText() ?? 'void'}`
}

/** With a `?` where it may be left out. */
export function nameWithMark(parameter: ts.ParameterDeclaration | ts.NamedTupleMember): string {
  const isOptional = parameter.questionToken || (ts.isParameter(parameter) && parameter.initializer)
  return `${parameter.name.getText()}${isOptional ? '?' : ''}`
}

/** An open enumeration as the list of its known values; anything else as written, with links. */
function typeText(node: ts.TypeNode): string {
  if (ts.isTypeReferenceNode(node) && node.typeName.getText() === 'LiteralUnion') {
    const values = [...node.typeArguments![0]!.getText().matchAll(/'([^']+)'/g)].map(([, value]) => `\`${value}\``)
    return `${values.join(', ')} or another text`
  }
  if (ts.isUnionTypeNode(node)) return node.types.map(typeText).join(' | ')
  return ts.isLiteralTypeNode(node) ? `\`${node.getText()}\`` : link(node.getText())
}

/** A text with every name of a documented type linked. */
export function link(text: string): string {
  return text.replaceAll('<', '\\<').replace(/\w+|[^\w]+/g, (part) => {
    if (!declarations.has(part) && !classes.has(part)) return part
    linked.add(part)
    return `[${part}](#${anchor(part)})`
  })
}

export function describe(symbol: ts.Symbol): string {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim()
}

export function defaultOf(field: ts.Symbol): string {
  const [tag] = tagsOf(field, 'default')
  return tag === undefined ? '' : ` Default: ${tag}.`
}

/** What a doc comment says under a tag, once for each time the tag is there. */
export function tagsOf(symbol: ts.Symbol, name: string): string[] {
  const tags = symbol.getJsDocTags(checker).filter((tag) => tag.name === name)
  return tags.map(({ text }) => ts.displayPartsToString(text).replace(/\s+/g, ' ').trim())
}

/** The types that need a section: the exported ones that stand nowhere else, and those that are linked to. */
export function typeNames(exported: Iterable<string>): string[] {
  for (const name of exported) if (declarations.has(name) && !shownAt.has(name)) linked.add(name)
  // A set that grows while it is walked is walked to its end.
  for (const name of linked) if (declarations.has(name)) typeSection(name)
  return [...linked].filter((name) => declarations.has(name)).sort()
}

/** What a type is, for the end of the page. */
export function typeSection(name: string): string[] {
  const declaration = declarations.get(name)!
  const symbol = checker.getSymbolAtLocation(declaration.name)!
  return [`### ${name}`, '', ...paragraph(describe(symbol)), ...contentOf(declaration, symbol), '']
}

function contentOf(declaration: ts.InterfaceDeclaration | ts.TypeAliasDeclaration, symbol: ts.Symbol): string[] {
  if (ts.isInterfaceDeclaration(declaration)) return tableOf(checker.getDeclaredTypeOfSymbol(symbol))
  const written = declaration.getText().replace(/^export /, '')
  const isLong = written.includes('\n') && !ts.isUnionTypeNode(declaration.type)
  return isLong || written.includes('{') ? ['```typescript', written, '```'] : [typeText(declaration.type)]
}

function paragraph(text: string): string[] {
  return text === '' ? [] : [text, '']
}

import ts from 'typescript'
import { anchor, cell } from './markdown.js'

/** What a method takes, beside the id and the options. */
export interface Input {
  /** Name of its type. */
  readonly name: string
  /** The type's own description. */
  readonly text: string
  readonly type: ts.Type
}

/** A method of the client, as its declaration describes it. */
export interface Method {
  readonly text: string
  /** e.g. `capture(id, body?, options?)`. */
  readonly call: string
  readonly input: Input | undefined
  /** Its result, linked. */
  readonly result: string
}

type Version = '2021-09-27' | '2.1'

const root = 'scripts/docs/clients.ts'
const clients = `
  import type { PaymentsClient } from '../../src/index.js'
  export declare const clients: { '2021-09-27': PaymentsClient, '2.1': PaymentsClient<'2.1'> }
`

const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
const host = ts.createCompilerHost(options)
const { getSourceFile } = host
host.getSourceFile = (file, target) =>
  file === root ? ts.createSourceFile(file, clients, target) : getSourceFile.call(host, file, target)
const program = ts.createProgram([root], options, host)
const checker = program.getTypeChecker()

const [clientsSymbol] = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(root)!)!)
const clientTypes = checker.getTypeOfSymbol(clientsSymbol!)

/** Interfaces and aliases of src/schemas, by name. */
const declarations = new Map<string, ts.InterfaceDeclaration | ts.TypeAliasDeclaration>()
for (const file of program.getSourceFiles()) {
  if (!file.fileName.includes('src/schemas/')) continue
  ts.forEachChild(file, (node) => {
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) declarations.set(node.name.text, node)
  })
}

/** The types that were linked to; each becomes a section. */
const linked = new Set<string>(['PaymentStatusEvent', 'PaymentRefundEvent', 'DisputeStatusEvent'])

/** Every method of the client, e.g. `payments.capture`, as its declaration orders them. */
export function methodNames(owner: ts.Type = clientOf('2021-09-27'), prefix = ''): string[] {
  return owner.getProperties().flatMap((symbol) => {
    if (ts.isPrivateIdentifier((symbol.valueDeclaration as ts.PropertyDeclaration).name)) return []
    const type = checker.getTypeOfSymbol(symbol)
    const name = `${prefix}${symbol.name}`
    return type.getCallSignatures().length > 0 ? [name] : methodNames(type, `${name}.`)
  })
}

export function methodOf(name: string, version: Version): Method {
  const path = name.split('.')
  const method = path.pop() as string
  const owner = path.reduce((type, part) => checker.getTypeOfSymbol(type.getProperty(part)!), clientOf(version))
  const symbol = owner.getProperty(method)!
  const [signature] = checker.getTypeOfSymbol(symbol).getCallSignatures()
  return {
    text: describe(symbol),
    call: `${name}(${parametersOf(signature!).join(', ')})`,
    input: inputOf(signature!),
    result: resultOf(signature!),
  }
}

function clientOf(version: Version): ts.Type {
  return checker.getTypeOfSymbol(clientTypes.getProperty(version)!)
}

/** `id` and `body?`, say. */
function parametersOf(signature: ts.Signature): string[] {
  return signature.getParameters().flatMap((parameter) => {
    const type = checker.getTypeOfSymbol(parameter)
    if (!checker.isTupleType(type)) return [nameWithMark(parameter.valueDeclaration as ts.ParameterDeclaration)]
    const { labeledElementDeclarations = [] } = (type as ts.TupleTypeReference).target
    return labeledElementDeclarations.map((element) => nameWithMark(element as ts.NamedTupleMember))
  })
}

function nameWithMark({ name, questionToken }: ts.ParameterDeclaration | ts.NamedTupleMember): string {
  return `${name.getText()}${questionToken ? '?' : ''}`
}

function inputOf(signature: ts.Signature): Input | undefined {
  const candidates = signature.getParameters().map((parameter) => {
    const type = checker.getTypeOfSymbol(parameter)
    // A rest parameter: its first element is the body.
    return checker.isTupleType(type) ? checker.getTypeArguments(type as ts.TypeReference)[0]! : type
  })
  const type = candidates.map((each) => checker.getNonNullableType(each)).find((each) => isDocumented(nameOf(each)))
  if (!type) return undefined
  const name = nameOf(type) as string
  return { name, type, text: describe(type.aliasSymbol ?? type.symbol) }
}

function resultOf(signature: ts.Signature): string {
  const returned = checker.getReturnTypeOfSignature(signature) as ts.TypeReference
  const [result] = checker.getTypeArguments(returned)
  const text = checker.typeToString(result!)
  return returned.symbol.name === 'PagedList' ? `a list of ${link(text)}, fetched as it is read` : link(text)
}

function nameOf(type: ts.Type): string | undefined {
  return type.aliasSymbol?.name ?? type.symbol?.name
}

function isDocumented(name: string | undefined): boolean {
  return name !== undefined && declarations.has(name)
}

/**
 * A table of the fields.
 *
 * @param spelling How the service spells them, where that differs.
 */
export function tableOf(type: ts.Type, spelling: Readonly<Record<string, string>> = {}): string[] {
  const rows = fieldsOf(widest(type)).flatMap((field) => rowsOf(field, '', spelling))
  return ['| field | type | |', '|---|---|---|', ...rows]
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
function typeNodeOf(field: ts.Symbol): ts.TypeNode | undefined {
  const [declaration] = field.getDeclarations() ?? []
  const node = declaration && ts.isPropertySignature(declaration) ? declaration.type : undefined
  return node?.kind === ts.SyntaxKind.NeverKeyword ? undefined : node
}

function rowsOf(field: ts.Symbol, prefix: string, spelling: Readonly<Record<string, string>>): string[] {
  const node = typeNodeOf(field)!
  const optional = field.flags & ts.SymbolFlags.Optional ? '?' : ''
  const name = `${prefix}${field.name}${optional}`
  const sentAs = spelling[field.name] ?? field.name
  const text = `${describe(field)}${defaultOf(field)}${sentAs === field.name ? '' : ` Sent as \`${sentAs}\`.`}`
  if (!ts.isTypeLiteralNode(node)) return [`| \`${name}\` | ${cell(typeText(node))} | ${cell(text)} |`]
  const inner = node.members.map((member) => checker.getSymbolAtLocation(member.name!)!)
  return [`| \`${name}\` | object | ${cell(text)} |`, ...inner.flatMap((each) => rowsOf(each, `${name}.`, {}))]
}

/** An open enumeration as the list of its known values; anything else as written, with links. */
function typeText(node: ts.TypeNode): string {
  if (ts.isTypeReferenceNode(node) && node.typeName.getText() === 'LiteralUnion') {
    const values = [...node.typeArguments![0]!.getText().matchAll(/'([^']+)'/g)].map(([, value]) => `\`${value}\``)
    return `${values.join(', ')} or another text`
  }
  return link(node.getText())
}

/** A text with every name of a documented type linked. */
function link(text: string): string {
  return text.replace(/\w+|[^\w]+/g, (part) => {
    if (!declarations.has(part)) return part
    linked.add(part)
    return `[${part}](#${anchor(part)})`
  })
}

function describe(symbol: ts.Symbol): string {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim()
}

function defaultOf(field: ts.Symbol): string {
  const tag = field.getJsDocTags().find(({ name }) => name === 'default')
  return tag ? ` Default: ${ts.displayPartsToString(tag.text)}.` : ''
}

/** The types that were linked to so far, and those that they lead to. */
export function typeNames(): string[] {
  // A set that grows while it is walked is walked to its end.
  for (const name of linked) typeSection(name)
  return [...linked].sort()
}

/** What a type is, for the end of the page. */
export function typeSection(name: string): string[] {
  const declaration = declarations.get(name)!
  const symbol = checker.getSymbolAtLocation(declaration.name)!
  const type = checker.getDeclaredTypeOfSymbol(symbol)
  const content =
    ts.isInterfaceDeclaration(declaration) && fieldsOf(type).length > 0
      ? tableOf(type)
      : ts.isTypeAliasDeclaration(declaration)
        ? [typeText(declaration.type)]
        : []
  return [`### ${name}`, '', describe(symbol), '', ...content, '']
}

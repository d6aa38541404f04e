import ts from 'typescript'
import { checker, classes, clientOf, functions } from './program.js'
import {
  defaultOf,
  describe,
  isDocumented,
  link,
  nameOf,
  nameWithMark,
  row,
  signatureText,
  table,
  tagsOf,
} from './types.js'

/** What a method takes, beside the id and the options. */
export interface Input {
  /** The parameter's name. */
  readonly parameter: string
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
  /** The type of its options, linked. */
  readonly options: string | undefined
  /** Its result, linked. */
  readonly result: string
  /** What it throws beyond what every call may throw. */
  readonly throws: readonly string[]
}

/** Every method of the client, e.g. `payments.capture`, as its declaration orders them. */
export function methodNames(owner: ts.Type = clientOf('2021-09-27'), prefix = ''): string[] {
  return owner.getProperties().flatMap((symbol) => {
    if (ts.isPrivateIdentifier((symbol.valueDeclaration as ts.PropertyDeclaration).name)) return []
    const type = checker.getTypeOfSymbol(symbol)
    const name = `${prefix}${symbol.name}`
    return type.getCallSignatures().length > 0 ? [name] : methodNames(type, `${name}.`)
  })
}

export function methodOf(name: string, version: '2021-09-27' | '2.1'): Method {
  const path = name.split('.')
  const method = path.pop() as string
  const owner = path.reduce((type, part) => checker.getTypeOfSymbol(type.getProperty(part)!), clientOf(version))
  const symbol = owner.getProperty(method)!
  const [signature] = checker.getTypeOfSymbol(symbol).getCallSignatures()
  const parameters = parametersOf(signature!)
  const options = parameters.find((parameter) => parameter.name === 'options')
  return {
    text: describe(symbol),
    call: `${name}(${parameters.map(({ marked }) => marked).join(', ')})`,
    input: inputOf(parameters),
    options: options && link(nameOf(options.type) as string),
    result: resultOf(signature!),
    throws: throwsOf(symbol),
  }
}

/** What the constructor of the client takes. */
export function clientInput(): Input {
  const { name } = classes.get('PaymentsClient')!
  const [signature] = checker.getTypeOfSymbol(checker.getSymbolAtLocation(name!)!).getConstructSignatures()
  return inputOf(parametersOf(signature!))!
}

interface Parameter {
  readonly name: string
  readonly marked: string
  readonly type: ts.Type
}

function parametersOf(signature: ts.Signature): Parameter[] {
  return signature.getParameters().flatMap((symbol) => {
    const type = checker.getTypeOfSymbol(symbol)
    if (!checker.isTupleType(type)) return [parameter(symbol.valueDeclaration as ts.ParameterDeclaration, type)]
    // A rest parameter: its elements are the parameters.
    const { labeledElementDeclarations = [] } = (type as ts.TupleTypeReference).target
    const types = checker.getTypeArguments(type as ts.TypeReference)
    return labeledElementDeclarations.map((element, index) => parameter(element as ts.NamedTupleMember, types[index]!))
  })
}

function parameter(declaration: ts.ParameterDeclaration | ts.NamedTupleMember, type: ts.Type): Parameter {
  return { name: declaration.name.getText(), marked: nameWithMark(declaration), type: checker.getNonNullableType(type) }
}

function inputOf(parameters: readonly Parameter[]): Input | undefined {
  const last = parameters.filter(({ name, type }) => name !== 'options' || nameOf(type) === 'ClientOptions')
  const found = last.find(({ type }) => isDocumented(nameOf(type)))
  if (!found) return undefined
  const { name: parameter, type } = found
  return { parameter, name: nameOf(type) as string, type, text: describe(type.aliasSymbol ?? type.symbol) }
}

function resultOf(signature: ts.Signature): string {
  const returned = checker.getReturnTypeOfSignature(signature) as ts.TypeReference
  const [result] = checker.getTypeArguments(returned)
  const text = checker.typeToString(result!)
  if (returned.symbol.name === 'PagedList') return `a [PagedList](#pagedlist) of ${link(text)}, fetched as it is read`
  return ['Call', 'Promise'].includes(returned.symbol.name) ? link(text) : link(checker.typeToString(returned))
}

/** Page, PagedList and the like: what can be done with one. */
export function classSection(name: string): string[] {
  const declaration = classes.get(name)!
  const symbol = checker.getSymbolAtLocation(declaration.name!)!
  return [`### ${name}`, '', describe(symbol), '', ...followed(table(rowsOf(declaration), 'member'))]
}

/** An error: its code, what it extends, and what it carries beyond that. */
export function errorSection(name: string): string[] {
  const declaration = classes.get(name)!
  const symbol = checker.getSymbolAtLocation(declaration.name!)!
  const parent = declaration.heritageClauses?.[0]?.types[0]?.expression.getText() ?? 'Error'
  const code = declaration.members.find((member) => member.name?.getText() === 'code') as ts.PropertyDeclaration
  const facts = [
    `Extends ${link(parent)}`,
    ...(code?.initializer ? [`\`code\` is \`${code.initializer.getText()}\``] : []),
  ]
  return [`### ${name}`, '', describe(symbol), '', `${facts.join('; ')}.`, '', ...followed(table(rowsOf(declaration)))]
}

/** Fields, getters and methods that a class declares itself, and that are for its users. */
function rowsOf(declaration: ts.ClassDeclaration): string[] {
  const type = checker.getTypeAtLocation(declaration)
  return type.getProperties().flatMap((symbol) => {
    const [member] = symbol.getDeclarations() ?? []
    if (!member || !belongsTo(declaration, member) || isInternal(symbol, member)) return []
    const text = `${describe(symbol)}${defaultOf(symbol)}`
    if (ts.isMethodDeclaration(member)) return [row(callOf(symbol.name, member), resultText(member), text)]
    const optional = ts.isPropertyDeclaration(member) && member.questionToken ? '?' : ''
    return [row(`${symbol.name}${optional}`, link((member as ts.PropertyDeclaration).type?.getText() ?? ''), text)]
  })
}

/** Declared in the class, as a member or as a parameter of its constructor. */
function belongsTo(declaration: ts.ClassDeclaration, member: ts.Node): boolean {
  return member.parent === declaration || (ts.isParameter(member) && member.parent.parent === declaration)
}

const constant = new Set(['name', 'code'])

/** Private, or there for the language's sake: a method without a description, such as `catch`. */
function isInternal(symbol: ts.Symbol, member: ts.Declaration): boolean {
  const name = ts.getNameOfDeclaration(member)
  return (
    !name ||
    !ts.isIdentifier(name) ||
    constant.has(symbol.name) ||
    tagsOf(symbol, 'internal').length > 0 ||
    (ts.isMethodDeclaration(member) && ts.getJSDocCommentsAndTags(member).length === 0)
  )
}

function callOf(name: string, { parameters }: ts.SignatureDeclaration): string {
  return `${name}(${parameters.map(nameWithMark).join(', ')})`
}

function resultText(member: ts.MethodDeclaration): string {
  return link(member.type?.getText() ?? checker.typeToString(checker.getTypeAtLocation(member)))
}

/** A helper: how it is called, and what it does. */
export function functionSection(name: string): string[] {
  const symbol = functions.get(name)!
  const declaration = symbol.valueDeclaration as ts.FunctionDeclaration
  const notes = [...tagsOf(symbol, 'param').map(asItem), ...throwsOf(symbol).map((each) => `- throws ${each}`)]
  return [
    `### ${name}`,
    '',
    link(`${name}${signatureText(declaration, ': ').replace(/\s+/g, ' ')}`),
    '',
    describe(symbol),
    '',
    ...followed(notes),
  ]
}

/** Lines with an empty one after them, if there are any. */
function followed(lines: readonly string[]): string[] {
  return lines.length > 0 ? [...lines, ''] : []
}

/** `rawBody The body exactly …` as an item of a list. */
function asItem(tag: string): string {
  return tag.replace(/^(\S+)\s*/, '- `$1`: ')
}

/** `{WaitError} Time ran out` with the class linked. */
function throwsOf(symbol: ts.Symbol): string[] {
  return tagsOf(symbol, 'throws').map((tag) => tag.replace(/^\{(\w+)\}/, (_, name) => `${link(name)}:`))
}

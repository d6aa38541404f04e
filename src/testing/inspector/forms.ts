import * as z from 'zod'
import { actions } from '../sandbox/control/actions.js'
import { words } from './format.js'
import { type Html, html } from './html.js'
import { notice } from './parts.js'

/** The subset of JSON Schema from which the inspector creates a form. */
interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly string[]
  readonly const?: string
  readonly anyOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly format?: string
  readonly description?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
}

interface Form {
  /** The values of arguments that have no form field. */
  readonly args?: Readonly<Record<string, unknown>>
  /**
   * The form fields, with changes to the schemas of their arguments. `fields.amount` is a field of the argument
   * `fields`. @default a field for each argument
   */
  readonly fields?: Readonly<Record<string, JsonSchema>>
  /** The message after the action. `{name}` is replaced with this field of its result. */
  readonly success: string
  /** The reason that the action is impossible now. */
  readonly impossible?: string | false
}

/** A form for an action of the control API. Without fields, it is only a button and a message. */
export function actionForm(action: keyof typeof actions, { args = {}, fields, success, impossible }: Form): Html {
  const schema = z.toJSONSchema(actions[action].input as z.ZodType, { io: 'input', unrepresentable: 'any' })
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>
  const names = Object.keys(fields ?? properties).filter((name) => !(name in args) && !impossible)
  const inputs = names.map((name) =>
    field(`${action}-${name}`, name, { ...properties[name], ...fields?.[name] }, schema.required?.includes(name)),
  )
  const label = names.length > 0 && html`aria-label="${words(action)}"`
  return html`<form ${label} data-action="${action}" data-args="${JSON.stringify(args)}" data-success="${success}">
${inputs}
<button type="submit" ${impossible && html`disabled title="${impossible}"`}>${words(action)}</button>
${impossible && html`<p class="hint">${impossible}</p>`}
${notice}
</form>`
}

function typesOf({ type, anyOf = [] }: JsonSchema): string[] {
  return [...[type ?? []].flat(), ...anyOf.flatMap(typesOf)]
}

/** Returns the values from which a schema lets the user choose. */
function choicesOf({ enum: values = [], const: value, anyOf = [], items, examples = [] }: JsonSchema): string[] {
  const own = value === undefined ? values : [value]
  return [...own, ...anyOf.flatMap(choicesOf), ...(items ? choicesOf(items) : []), ...examples.filter(isString)]
}

const isString = (value: unknown) => typeof value === 'string'

function field(id: string, name: string, schema: JsonSchema, required = false): Html {
  const { description, default: preset, examples = [] } = schema
  const types = typesOf(schema)
  const isNumber = types.every((type) => type === 'integer' || type === 'number')
  const choices = choicesOf(schema)
  const options = choices.map(
    (choice) => html`<option value="${choice}" ${choice === preset && html`selected`}>${choice}</option>`,
  )
  const example = preset ?? examples[0] ?? ''
  const placeholder = isString(example) ? example : JSON.stringify(example)
  const common = html`id="${id}" name="${name}" data-types="${types.join(' ')}" ${required && html`required`}
${placeholder !== '' && html`placeholder="${placeholder}"`} ${description && html`aria-describedby="${id}-hint"`} autocomplete="off" spellcheck="false"`
  const isCheckbox = types.includes('boolean')
  const type = isCheckbox ? 'checkbox' : schema.format === 'password' ? 'password' : 'text'
  const pattern = isNumber && html`inputmode="numeric" pattern="-?[0-9]+" title="An integer"`
  const list = choices.length > 0 && html`list="${id}-list"`
  const any = !required && preset === undefined && html`<option value="">Any</option>`
  const control = schema.enum
    ? html`<select ${common}>${any}${options}</select>`
    : types.includes('object')
      ? html`<textarea ${common} rows="3"></textarea>`
      : html`<input type="${type}" ${common} ${pattern} ${list}>${list && html`<datalist id="${id}-list">${options}</datalist>`}`
  return html`<div class="field ${isCheckbox && 'check'}"><label for="${id}">${words(name.split('.').at(-1) as string)}</label>${control}
${description && html`<p class="hint" id="${id}-hint">${description}</p>`}</div>`
}

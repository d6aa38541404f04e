import { useEffect, useId, useState } from 'preact/hooks'
import {
  type ActionName,
  type ActionResult,
  type Arguments,
  type ArgumentsSchema,
  argumentsOf,
  type JsonSchema,
  perform,
} from '../api.js'
import { words } from '../format/text.js'
import { useTask } from '../hooks.js'
import { Message } from './parts.js'

interface ActionFormProps<A extends ActionName> {
  action: A
  /** The values of arguments that have no form field. */
  args?: Partial<Arguments<A>>
  /** The form fields, with changes to the schemas of their arguments. @default a field for each argument */
  fields?: Readonly<Record<string, JsonSchema>>
  /** Converts the values of the fields to arguments. With this function, no field is required. */
  toArguments?(values: Record<string, unknown>): Arguments<A>
  success: string | ((result: ActionResult<A>) => string)
  /** The reason that the action is impossible now. */
  impossible?: string
}

/** A form for an action of the control API. Without fields, it is only a button and a message. */
export function ActionForm<A extends ActionName>(props: ActionFormProps<A>) {
  const { action, args = {}, fields, toArguments, success, impossible } = props
  const { run, notice, isBusy } = useTask()
  const [schema, setSchema] = useState<ArgumentsSchema>()
  useEffect(() => {
    void run(async () => {
      setSchema(await argumentsOf(action))
      return ''
    })
  }, [action])
  const { properties = {}, required = [] } = schema ?? {}
  const names = schema ? Object.keys(fields ?? properties).filter((name) => !(name in args)) : []
  const schemaOf = (name: string): JsonSchema => ({ ...properties[name], ...fields?.[name] })
  const isRequired = (name: string) => !toArguments && required.includes(name)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    void run(async () => {
      const entries = names.map((name) => [name, read(name, schemaOf(name), String(form.get(name) ?? ''))])
      const values = { ...args, ...Object.fromEntries(entries) }
      return perform(action, toArguments?.(values) ?? values, success)
    })
  }
  return (
    <form onSubmit={submit} aria-label={names.length > 0 ? words(action) : undefined}>
      {impossible === undefined &&
        names.map((name) => <Field key={name} name={name} schema={schemaOf(name)} required={isRequired(name)} />)}
      <button type="submit" disabled={isBusy || impossible !== undefined || !schema} title={impossible ?? notice?.text}>
        {words(action)}
      </button>
      {impossible !== undefined && <p class="hint">{impossible}</p>}
      <Message notice={notice} />
    </form>
  )
}

function typesOf({ type, anyOf = [] }: JsonSchema): string[] {
  return [...[type ?? []].flat(), ...anyOf.flatMap(typesOf)]
}

/** Converts the text of a field to the argument. Returns undefined if the field is empty. */
function read(name: string, schema: JsonSchema, text: string): unknown {
  const types = typesOf(schema)
  if (text === '') return undefined
  if (types.includes('boolean')) return true
  if (types.includes('array')) return text.split(/[\s,]+/).filter(Boolean)
  if (/^-?\d+$/.test(text) && types.some((type) => type === 'integer' || type === 'number')) return Number(text)
  if (!types.includes('object')) return text
  if (types.includes('string') && !text.trim().startsWith('{')) return text
  try {
    return JSON.parse(text)
  } catch {
    if (types.includes('string')) return text
    throw new Error(`${words(name)} must be valid JSON, with double quotes`)
  }
}

/** Returns the values from which a schema lets the user choose. */
function choicesOf({ enum: values = [], const: value, anyOf = [], items, examples = [] }: JsonSchema): string[] {
  const own = value === undefined ? values : [value]
  return [...own, ...anyOf.flatMap(choicesOf), ...(items ? choicesOf(items) : []), ...examples.filter(isString)]
}

const isString = (value: unknown) => typeof value === 'string'

function Field({ name, schema, required }: { name: string; schema: JsonSchema; required: boolean }) {
  const id = useId()
  const { description: hint, default: preset, examples = [] } = schema
  const types = typesOf(schema)
  const isCheckbox = types.includes('boolean')
  const isNumber = types.every((type) => type === 'integer' || type === 'number')
  const choices = choicesOf(schema)
  const options = [...(!schema.enum || required || preset ? [] : ['']), ...choices].map((choice) => (
    <option key={choice} value={choice}>
      {choice || 'Any'}
    </option>
  ))
  const example = preset ?? examples[0]
  const placeholder = example === undefined || isString(example) ? example : JSON.stringify(example)
  const type = isCheckbox ? 'checkbox' : schema.format === 'password' ? 'password' : 'text'
  const common = { id, name, required, placeholder, 'aria-describedby': hint && `${id}-hint` }
  return (
    <div class={isCheckbox ? 'field check' : 'field'}>
      <label for={id}>{words(name)}</label>
      {schema.enum ? (
        <select {...common} defaultValue={String(preset ?? '')}>
          {options}
        </select>
      ) : types.includes('object') ? (
        <textarea {...common} rows={3} spellcheck={false} />
      ) : (
        <input
          {...({ ...common, type } as object)}
          inputMode={isNumber ? 'numeric' : undefined}
          pattern={isNumber ? '-?[0-9]+' : undefined}
          title={isNumber ? 'An integer' : undefined}
          list={choices.length > 0 ? `${id}-list` : undefined}
          autoComplete="off"
          spellcheck={false}
        />
      )}
      {!schema.enum && choices.length > 0 && <datalist id={`${id}-list`}>{options}</datalist>}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

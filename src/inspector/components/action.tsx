import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'
import { useAction } from '../hooks.js'
import { Message } from './parts.js'

export interface Field {
  name: string
  label: string
  hint?: string
  placeholder?: string
  value?: string
  /** The values to choose from. With `isOpen`, they are only suggestions. */
  options?: readonly string[]
  isOpen?: boolean
  required?: boolean
  kind?: 'text' | 'number' | 'checkbox' | 'long'
  /** Converts the text to the argument. Throws an error with a message for the user. */
  read?(text: string): unknown
}

export interface ActionFormProps {
  /** The button's label. */
  title: string
  action: string
  fields?: readonly Field[]
  /** Arguments that have no form field. */
  args?: object
  toArguments?(values: Record<string, unknown>): object
  success: string | ((result: Record<string, unknown>) => string)
  /** Explains why the action is impossible now. */
  impossible?: string
  onDone?(result: Record<string, unknown>): void
  children?: ComponentChildren
}

export function ActionForm(props: ActionFormProps) {
  const { title, action, fields = [], args, toArguments, success, impossible, onDone, children } = props
  const { run, notice, setNotice, isBusy } = useAction()
  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    const form = event.currentTarget as HTMLFormElement
    try {
      const values = { ...args, ...readFields(fields, new FormData(form)) }
      const result = await run(action, toArguments?.(values) ?? values, success)
      if (result) onDone?.(result)
    } catch (error) {
      setNotice({ text: (error as Error).message, isError: true })
    }
  }
  return (
    <form onSubmit={submit} aria-label={title}>
      {impossible === undefined && fields.map((field) => <FieldInput key={field.name} field={field} />)}
      {children}
      <button type="submit" disabled={isBusy || impossible !== undefined}>
        {title}
      </button>
      {impossible !== undefined && <p class="hint">{impossible}</p>}
      <Message notice={notice} />
    </form>
  )
}

function readFields(fields: readonly Field[], data: FormData): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const { name, kind, read } of fields) {
    const text = String(data.get(name) ?? '')
    if (text === '') continue
    values[name] = kind === 'checkbox' ? true : read ? read(text) : kind === 'number' ? Number(text) : text
  }
  return values
}

function FieldInput({ field }: { field: Field }) {
  const { name, label, hint, placeholder, value, options, isOpen, required, kind } = field
  const id = useId()
  const common = { id, name, required, placeholder, 'aria-describedby': hint && `${id}-hint` }
  if (kind === 'checkbox') {
    return (
      <div class="field check">
        <input type="checkbox" {...common} />
        <label for={id}>{label}</label>
        {hint && (
          <p class="hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </div>
    )
  }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {options && !isOpen ? (
        <select {...common} defaultValue={value}>
          {options.map((option) => (
            <option key={option} value={option}>
              {option || 'Any'}
            </option>
          ))}
        </select>
      ) : kind === 'long' ? (
        <textarea {...common} rows={3} defaultValue={value} spellcheck={false} />
      ) : (
        <input
          type="text"
          {...common}
          inputMode={kind === 'number' ? 'numeric' : undefined}
          pattern={kind === 'number' ? '-?[0-9]+' : undefined}
          title={kind === 'number' ? 'An integer' : undefined}
          defaultValue={value}
          list={isOpen ? `${id}-list` : undefined}
          autoComplete="off"
          spellcheck={false}
        />
      )}
      {isOpen && (
        <datalist id={`${id}-list`}>
          {options?.map((option) => (
            <option key={option} value={option} />
          ))}
        </datalist>
      )}
      {hint && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}

/** HTML whose interpolated values are escaped. */
export class Html {
  constructor(readonly text: string) {}
}

export type Value = Html | string | number | false | undefined | readonly Value[]

/** Creates HTML. Escapes the values, and omits `false` and undefined. */
export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  return new Html(String.raw({ raw: parts }, ...values.map(textOf)))
}

function textOf(value: Value): string {
  if (value instanceof Html) return value.text
  if (value === undefined || value === false) return ''
  return typeof value === 'object' ? value.map(textOf).join('') : escaped(visible(String(value)))
}

/** Creates an attribute value for the script of the page, with invisible characters unchanged. */
export const exact = (text: string): Html => new Html(escaped(text))

const escaped = (text: string) => text.replace(/[&<>"'\r]/g, (character) => `&#${character.charCodeAt(0)};`)

// biome-ignore lint/suspicious/noControlCharactersInRegex: finds control characters, and characters that change the direction of text.
const invisible = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

/** Replaces invisible characters with their escape sequences, so that data cannot hide or reorder text. */
function visible(text: string): string {
  return text.replace(invisible, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

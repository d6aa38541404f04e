/** Returns the escape sequence of a character in JSON and JavaScript, for example `\u001b`. */
export function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Returns whether a value is an http or https URL without credentials. `fetch` rejects URLs with credentials. */
export function isWebAddress(url: string | URL): boolean {
  if (!URL.canParse(String(url))) return false
  const { protocol, username, password } = new URL(url)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

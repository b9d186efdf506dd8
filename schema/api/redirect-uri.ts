/** Editors whose links come back to the extension that registered the host `publisher.extension`. */
const editors: Readonly<Record<string, string>> = {
  vscode: 'Visual Studio Code',
  'vscode-insiders': 'Visual Studio Code Insiders',
  cursor: 'Cursor',
  windsurf: 'Windsurf',
  vscodium: 'VSCodium',
}
const loopbackNames = ['127.0.0.1', '[::1]', 'localhost']
const longest = 1000

/** We add these to the address ourselves; one that it already has would be a second answer. */
const ownParameters = ['code', 'state', 'error', 'error_description']

/**
 * Says why a sign-in may not end at an address; `null` when it may. The code goes there, so only an editor's
 * own scheme or a port of the same machine is allowed. It also runs in browsers and checks only the text.
 */
export function redirectUriProblem(text: string): string | null {
  if (text.length > longest) return 'redirect_uri is too long'
  // Characters that one parser drops, trims or converts could mean another address to the next parser.
  if (!/^[\x21-\x7e]+$/.test(text) || /[\\<>"`{}|^]/.test(text)) return 'redirect_uri is not an address'
  if (!URL.canParse(text)) return 'redirect_uri is not an address'
  const url = new URL(text)
  if (url.username || url.password || text.includes('@')) return 'redirect_uri must not hold a user name'
  if (text.includes('#')) return 'redirect_uri must not have a fragment'
  if (ownParameters.some((name) => url.searchParams.has(name))) {
    return `redirect_uri must not have one of the parameters ${ownParameters.join(', ')}`
  }
  return isEditor(text) || isLoopback(text, url)
    ? null
    : 'redirect_uri must be an address of the editor, or of this machine'
}

/** The target of a sign-in, as shown to the user who is asked to approve it. */
export interface Destination {
  /** As people know it. */
  readonly name: string
  /** What decides who receives it: the editor's extension, or the port on this machine. */
  readonly address: string
  readonly kind: 'editor' | 'this_machine'
}

/** The scheme of an address, without its colon. */
export function schemeOf(uri: string): string {
  return new URL(uri).protocol.slice(0, -1)
}

/** The editor that opens the links of a scheme, as people know it; null for a program of any kind. */
export function editorOfScheme(scheme: string): string | null {
  return editors[scheme] ?? null
}

/** The destination of a valid address. */
export function destinationOf(uri: string): Destination {
  const { protocol, host } = new URL(uri)
  const editor = editorOfScheme(schemeOf(uri))
  return editor
    ? { kind: 'editor', name: editor, address: `${protocol}//${host}` }
    : { kind: 'this_machine', name: 'A program on a computer', address: `${protocol}//${host}` }
}

/** Whether a valid address belongs to one of these extensions (`publisher.extension`), or to none. */
export function isOwnExtension(uri: string, extensionIds: readonly string[]): boolean {
  const { kind } = destinationOf(uri)
  // Editors compare the names without regard to capitals.
  return kind === 'this_machine' || extensionIds.includes(new URL(uri).host.toLowerCase())
}

/** `vscode://publisher.extension/…`: Marketplace names, and at least one character of a path. */
function isEditor(text: string): boolean {
  const parts = /^([a-z-]+):\/\/[a-z0-9][a-z0-9-]*\.[a-z0-9][a-z0-9-]*\/[^/?]/i.exec(text)
  return parts?.[1] !== undefined && Object.hasOwn(editors, parts[1])
}

/** RFC 8252, section 7.3: plain http, because it never leaves the machine, and any port. */
function isLoopback(text: string, url: URL): boolean {
  const host = /^http:\/\/(\[::1\]|[a-z0-9.]+)(:[1-9]\d{0,4})?(\/|\?|$)/.exec(text)?.[1]
  return host !== undefined && host === url.hostname && loopbackNames.includes(host)
}

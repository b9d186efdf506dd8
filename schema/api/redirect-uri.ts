/**
 * The editors that may be signed in through the browser (EDITORS): what their links begin with, and what people
 * call them. A scheme (`vscode`) has no dot; an editor that runs in a browser has a host (`vscode.dev`), with one.
 */
export type Editors = Readonly<Record<string, string>>

/** What the user of an editor that is not on the list reads. */
export const unknownEditorText =
  'This editor is not one that can sign in through the browser. Generate an extension token on your dashboard, and paste it into the editor.'

/** All lead to this machine. */
export const loopbackNames = ['localhost', '127.0.0.1', '[::1]']
const longest = 1000

/** We add these to the address ourselves; one that it already has would be a second answer. */
const ownParameters = ['code', 'state', 'error', 'error_description']

/**
 * Says why a text is no address for the code of a sign-in; `null` when it may be one. Where the code may go is
 * decided by `destinationOf`. It also runs in browsers and checks only the text.
 */
export function redirectUriProblem(text: string): string | null {
  if (text.length > longest) return 'redirect_uri is too long'
  // Characters that one parser drops, trims or converts could mean another address to the next parser.
  if (!/^[\x21-\x7e]+$/.test(text) || /[\\<>"`{}|^]/.test(text)) return 'redirect_uri is not an address'
  if (!URL.canParse(text)) return 'redirect_uri is not an address'
  const url = new URL(text)
  if (url.username || url.password || text.includes('@')) return 'redirect_uri must not hold a user name'
  if (text.includes('#')) return 'redirect_uri must not have a fragment'
  // vscode.dev hands vscode-query on to the extension beside what we add.
  const inner = new URLSearchParams(url.searchParams.get('vscode-query') ?? '')
  return ownParameters.some((name) => url.searchParams.has(name) || inner.has(name))
    ? `redirect_uri must not have one of the parameters ${ownParameters.join(', ')}`
    : null
}

/** The target of a sign-in, as shown to the user who is asked to approve it. */
export interface Destination {
  /** As people know it. */
  readonly name: string
  /** What decides who receives it: the editor's extension, or the port on this machine. */
  readonly address: string
  /** `publisher.extension` in lower case: editors compare it without regard to capitals. Null: this machine. */
  readonly extension: string | null
}

/** By what an address names its editor: its scheme, or the host of one that runs in a browser. */
export function editorKeyOf(uri: string): string {
  const { protocol, hostname } = new URL(uri)
  return protocol === 'https:' ? hostname : protocol.slice(0, -1)
}

/** The editor as people know it; null for a program of any kind. */
export function editorOfScheme(scheme: string | null, editors: Editors): string | null {
  return scheme !== null && Object.hasOwn(editors, scheme) ? (editors[scheme] ?? null) : null
}

/**
 * Where an address leads; null when that is neither a known editor nor this machine. The code goes there, so
 * only an extension of an editor's or a port of the same machine is allowed.
 */
export function destinationOf(uri: string, editors: Editors): Destination | null {
  if (redirectUriProblem(uri) !== null) return null
  if (isLoopback(uri))
    return { name: 'A program on a computer', address: new URL(uri).origin, extension: null }
  const key = editorKeyOf(uri)
  const name = editorOfScheme(key, editors)
  const extension = key.includes('.') ? extensionInBrowser(uri, key) : extensionOfLink(uri, key)
  if (name === null || extension === null) return null
  const address = key.includes('.') ? `https://${key} (${extension})` : `${key}://${extension}`
  return { name, address, extension: extension.toLowerCase() }
}

/** `publisher.extension`, as marketplaces name them. */
const extensionPattern = /^[a-z0-9][a-z0-9-]*\.[a-z0-9][a-z0-9-]*$/i

/** `vscode://publisher.extension/…`, with at least one character of a path. */
function extensionOfLink(uri: string, scheme: string): string | null {
  const host = uri.startsWith(`${scheme}://`)
    ? /^([^/?]+)\/[^/?]/.exec(uri.slice(scheme.length + 3))?.[1]
    : undefined
  return host !== undefined && extensionPattern.test(host) ? host : null
}

/**
 * What `env.asExternalUri` makes of `vscode://publisher.extension/path` where VS Code is a page: `/callback` of
 * the same host, with the parts of the link as parameters. Its page keeps them for the tab of the editor, which
 * calls the extension's UriHandler. Sources: LocalStorageURLCallbackProvider in microsoft/vscode,
 * src/vs/code/browser/workbench/workbench.ts; the route `vscode.dev/callback` in microsoft/vscode-test-web issue
 * 19; a whole address in microsoft/vscode-extension-samples issue 1170. github.dev is the same workbench; that it
 * has the same route is our belief.
 */
function extensionInBrowser(uri: string, host: string): string | null {
  if (!uri.startsWith(`https://${host}/callback?`)) return null
  const { searchParams } = new URL(uri)
  const names = [...searchParams.keys()]
  // A second one could be another extension to the page.
  if (new Set(names).size < names.length || names.some((name) => !/^vscode-[a-z]+$/.test(name))) return null
  const extension = searchParams.get('vscode-authority') ?? ''
  const isWhole =
    /^\d+$/.test(searchParams.get('vscode-reqid') ?? '') &&
    /^[a-z][a-z-]*$/.test(searchParams.get('vscode-scheme') ?? '') &&
    /^\/[^/?]/.test(searchParams.get('vscode-path') ?? '')
  return isWhole && extensionPattern.test(extension) ? extension : null
}

/** RFC 8252, section 7.3: plain http, because it never leaves the machine, and any port. */
function isLoopback(uri: string): boolean {
  const host = /^http:\/\/(\[::1\]|[a-z0-9.]+)(:[1-9]\d{0,4})?(\/|\?|$)/.exec(uri)?.[1]
  return host !== undefined && host === new URL(uri).hostname && loopbackNames.includes(host)
}

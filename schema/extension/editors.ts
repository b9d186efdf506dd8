import { editorNameOf } from '../api/editor-name.ts'
import type { Editors } from '../api/redirect-uri.ts'

/**
 * Editors that take VS Code's extensions, by the scheme of their links: `urlProtocol` in the editor's
 * product.json, which `env.uriScheme` returns. Sources: product.json of microsoft/vscode (code-oss),
 * posit-dev/positron and voideditor/void; prepare_vscode.sh of VSCodium/vscodium; for VS Code and its Insiders, and
 * for the hosts, extensions/github-authentication/src/common/env.ts of microsoft/vscode. The product.json of Cursor,
 * Windsurf, Kiro, Trae and Antigravity is in their installers only: their schemes are those by which other public
 * projects open them (coder/coder pull request 20873 for antigravity). Zed opens zed:// links itself and has
 * extensions of another kind.
 */
export const defaultEditors =
  'vscode:Visual Studio Code, vscode-insiders:Visual Studio Code Insiders, vscodium:VSCodium, code-oss:Code - OSS, ' +
  'cursor:Cursor, windsurf:Windsurf, windsurf-next:Windsurf Next, kiro:Kiro, trae:Trae, antigravity:Antigravity, ' +
  'positron:Positron, void:Void, zed:Zed, vscode.dev:Visual Studio Code for the Web, ' +
  'insiders.vscode.dev:Visual Studio Code Insiders for the Web, github.dev:github.dev'

/** Schemes that a browser opens itself, or hands to a mailer or a phone: none is an editor's. */
const ofBrowsers =
  /^(about|blob|content|data|feed|file|filesystem|ftps?|https?|intent|jar|javascript|livescript|mailto|resource|sms|tel|urn|vbscript|view-source|wss?|.*script|(android|brave|chrome|edge|firefox|moz|ms|opera|safari|vivaldi)(-.*)?)$/

/** Reads EDITORS: `scheme:Name` or `host:Name`, separated by commas; null when an entry is not allowed. */
export function editorsOf(value: string): Editors | null {
  const entries = value
    .split(',')
    .flatMap((entry) => (entry.trim() === '' ? [] : [entry.split(':').map((part) => part.trim())]))
  const isAllowed = entries.every(
    ([key = '', name = '', ...rest]) =>
      rest.length === 0 && editorNameOf(name) === name && (isScheme(key) || isHostOfBrowserEditor(key)),
  )
  const editors = Object.fromEntries(entries.map(([key = '', name = '']) => [key, name]))
  return isAllowed && entries.length > 0 && Object.keys(editors).length === entries.length ? editors : null
}

const isScheme = (key: string) => /^[a-z][a-z0-9-]{1,63}$/.test(key) && !ofBrowsers.test(key)

/** A name of the public DNS as browsers write it: no address, no port, no letters that only look like others. */
function isHostOfBrowserEditor(key: string): boolean {
  return (
    /^([a-z0-9-]+\.)+[a-z]{2,}$/.test(key) &&
    key.length <= 64 &&
    URL.canParse(`https://${key}`) &&
    new URL(`https://${key}`).host === key &&
    !/\.(local|localhost|internal)$/.test(key)
  )
}

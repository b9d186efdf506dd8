import { expect, test } from 'vitest'
import { defaultEditors, editorsOf } from './editors.ts'

test('the default list names every editor of the documents, and hosts of editors in a browser', () => {
  expect(Object.keys(editorsOf(defaultEditors) ?? {})).toEqual([
    'vscode',
    'vscode-insiders',
    'vscodium',
    'code-oss',
    'cursor',
    'windsurf',
    'windsurf-next',
    'kiro',
    'trae',
    'antigravity',
    'positron',
    'void',
    'zed',
    'vscode.dev',
    'insiders.vscode.dev',
    'github.dev',
  ])
})

test('an operator names editors of their own, with any spaces', () => {
  expect(editorsOf(' acme-code : Acme Code ,code.acme.example:Acme in a browser,')).toEqual({
    'acme-code': 'Acme Code',
    'code.acme.example': 'Acme in a browser',
  })
})

test.each([
  ...'http https ws wss ftp file data blob javascript vbscript about filesystem view-source mailto tel sms intent'.split(
    ' ',
  ),
  ...'chrome chrome-extension moz-extension edge ms-browser-extension safari-web-extension jar resource'.split(
    ' ',
  ),
])('a scheme that a browser opens itself is no editor: %s', (scheme) => {
  expect(editorsOf(`vscode:VS Code,${scheme}:Editor`)).toBeNull()
})

test.each([
  ['nothing', ''],
  ['commas', ',,'],
  ['no name', 'vscode:'],
  ['no sign between', 'vscode'],
  ['two signs between', 'vscode:VS:Code'],
  ['one key twice', 'vscode:VS Code,vscode:Other'],
  ['capitals', 'VSCode:VS Code'],
  ['an equals sign', 'vscode=VS Code'],
  ['an address', 'https://vscode.dev:VS Code'],
  ['a port', 'vscode.dev:8443:VS Code'],
  ['a wildcard', '*.vscode.dev:VS Code'],
  ['a path', 'vscode.dev/callback:VS Code'],
  ['a number as a host', '127.0.0.1:VS Code'],
  ['a host of this network', 'editor.local:VS Code'],
  ['letters that look alike', 'vsсode.dev:VS Code'],
  ['a name that turns its text around', 'vscode:VS \u202eedoC'],
  ['a name over two lines', 'vscode:VS\nCode'],
  ['a name without an end', `vscode:${'V'.repeat(65)}`],
  ['what every object has', '__proto__:VS Code'],
])('a list with %s is refused', (_, value) => {
  expect(editorsOf(value)).toBeNull()
})

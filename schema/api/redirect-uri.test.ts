import { expect, test } from 'vitest'
import { defaultEditors, editorsOf } from '../extension/editors.ts'
import { destinationOf, editorKeyOf, redirectUriProblem } from './redirect-uri.ts'

const editors = editorsOf(defaultEditors) ?? {}

/** As `env.asExternalUri` makes it in an editor that runs in a browser. */
const inBrowser = (host: string, authority = 'tidemark.tidemark') =>
  `https://${host}/callback?vscode-reqid=2&vscode-scheme=vscode&vscode-authority=${authority}&vscode-path=%2Fauth`

test.each([
  'vscode://tidemark.tidemark/auth',
  'vscode-insiders://tidemark.tidemark/auth-complete',
  'cursor://Tidemark-Inc.tidemark-2/auth/done',
  'windsurf://tidemark.tidemark/a',
  'vscodium://tidemark.tidemark/a',
  'vscode://tidemark.tidemark/auth?windowId=5',
  'http://127.0.0.1:49152/callback',
  'http://127.0.0.1:49152',
  'http://[::1]:8080/callback',
  'http://localhost/callback',
  'http://localhost:8123/?from=editor',
  inBrowser('vscode.dev'),
  inBrowser('insiders.vscode.dev'),
  `${inBrowser('github.dev')}&vscode-query=windowId%3D1`,
])('a sign-in may end at %s', (uri) => {
  expect(redirectUriProblem(uri)).toBeNull()
  expect(destinationOf(uri, editors)).not.toBeNull()
})

test.each([
  ['another site', 'https://evil.example/callback'],
  ['a site over plain http', 'http://evil.example/callback'],
  ['loopback over https', 'https://localhost:8080/callback'],
  ['a name that begins like loopback', 'http://localhost.evil.example/callback'],
  ['a name that begins like an address', 'http://127.0.0.1.evil.example/'],
  ['another way to write loopback', 'http://127.1/callback'],
  ['a number', 'http://2130706433/callback'],
  ['every address', 'http://0.0.0.0:8080/'],
  ['a host behind a user name', 'http://localhost@evil.example/'],
  ['a host behind a user name, to an editor', 'vscode://tidemark.tidemark@evil/auth'],
  ['a host behind a backslash', 'http://localhost\\@evil.example/'],
  ['a port that is none', 'http://localhost:99999/'],
  ['a script', 'javascript:alert(1)//vscode://a.b/c'],
  ['a document', 'data:text/html,hello'],
  ['a file', 'file:///etc/passwd'],
  ['a scheme that is not on the list', 'jetbrains://tidemark.tidemark/auth'],
  ['a scheme that every object has', 'constructor://tidemark.tidemark/auth'],
  ['a host as a scheme', 'vscode.dev://tidemark.tidemark/auth'],
  ['a scheme as a host', 'https://vscode/callback?vscode-reqid=2'],
  ['a host in a browser over plain http', inBrowser('vscode.dev').replace('https', 'http')],
  ['a port of that host', inBrowser('vscode.dev:8443')],
  ['that host with a dot at its end', inBrowser('vscode.dev.')],
  ['a host below that host', inBrowser('evil.vscode.dev')],
  ['a host that ends like it', inBrowser('evilvscode.dev')],
  ['a host that begins like it', inBrowser('vscode.dev.evil.example')],
  ['a host that looks like it', inBrowser('vsсode.dev')],
  ['the same as browsers write it', inBrowser('xn--vsode-8cf.dev')],
  ['that host in capitals', inBrowser('VSCODE.DEV')],
  ['that host behind a user name', inBrowser('vscode.dev@evil.example')],
  ['another path of that host', inBrowser('vscode.dev').replace('/callback', '/redirect')],
  ['a path below it', inBrowser('vscode.dev').replace('/callback', '/callback/..%2fredirect')],
  ['its callback without an extension', inBrowser('vscode.dev', '')],
  ['its callback with two extensions', `${inBrowser('vscode.dev')}&vscode-authority=evil.tidemark`],
  ['its callback without a request', inBrowser('vscode.dev').replace('vscode-reqid=2&', '')],
  ['its callback with more than it takes', `${inBrowser('vscode.dev')}&url=https://evil.example`],
  ['its callback to the root', inBrowser('vscode.dev').replace('%2Fauth', '%2F')],
  ['its callback with a code of its own', `${inBrowser('vscode.dev')}&vscode-query=code%3Dmine`],
  ['a scheme in capitals', 'VSCODE://tidemark.tidemark/auth'],
  ['a scheme with something before it', 'xvscode://tidemark.tidemark/auth'],
  ['no extension', 'vscode://tidemark/auth'],
  ['nothing within the editor', 'vscode://tidemark.tidemark'],
  ['the editor’s root', 'vscode://tidemark.tidemark/'],
  ['no host', 'vscode:tidemark.tidemark/auth'],
  ['a path of a host', 'vscode:///tidemark.tidemark/auth'],
  ['a port of an editor', 'vscode://tidemark.tidemark:80/auth'],
  ['a fragment', 'vscode://tidemark.tidemark/auth#here'],
  ['an empty fragment', 'http://localhost:8080/#'],
  ['a code of its own', 'vscode://tidemark.tidemark/auth?code=mine'],
  ['a state of its own', 'http://localhost:8080/?a=1&state=mine'],
  ['a space', 'vscode://tidemark.tidemark/a b'],
  ['a line break', 'vscode://tidemark.tidemark/a\nb'],
  ['a tab that parsers drop', 'java\tscript:alert(1)'],
  ['a space before it', ' vscode://tidemark.tidemark/auth'],
  ['letters that look alike', 'http://lоcalhost:8080/'],
  ['nothing', ''],
  ['words', 'take me home'],
  ['too long', `vscode://tidemark.tidemark/${'a'.repeat(1000)}`],
])('a sign-in may not end at %s', (_, uri) => {
  expect(destinationOf(uri, editors)).toBeNull()
})

test.each(Object.entries(editors).filter(([key]) => !key.includes('.')))(
  'a destination in %s is named %s for the user who is asked to approve, with its extension',
  (scheme, name) => {
    expect(destinationOf(`${scheme}://Tidemark.Tidemark-Beta/auth?windowId=1`, editors)).toEqual({
      name,
      address: `${scheme}://Tidemark.Tidemark-Beta`,
      extension: 'tidemark.tidemark-beta',
    })
    expect(editorKeyOf(`${scheme}://tidemark.tidemark/auth`)).toBe(scheme)
  },
)

test.each(Object.entries(editors).filter(([key]) => key.includes('.')))(
  'a destination in a browser, %s, is named %s, with its extension',
  (host, name) => {
    const address = `https://${host} (tidemark.tidemark)`
    expect(destinationOf(inBrowser(host), editors)).toEqual({
      name,
      address,
      extension: 'tidemark.tidemark',
    })
    expect(editorKeyOf(inBrowser(host))).toBe(host)
  },
)

test('a destination on this machine is a program of any kind', () => {
  expect(destinationOf('http://[::1]:8080/callback', editors)).toEqual({
    name: 'A program on a computer',
    address: 'http://[::1]:8080',
    extension: null,
  })
})

import { describe, expect, test } from 'vitest'
import { destinationOf, isOwnExtension, redirectUriProblem } from './redirect-uri.ts'

describe('a sign-in may end at', () => {
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
  ])('a sign-in may end at %s', (uri) => {
    expect(redirectUriProblem(uri)).toBeNull()
  })
})

describe('a sign-in may not end at', () => {
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
    ['a scheme that is not on the list', 'zed://tidemark.tidemark/auth'],
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
    expect(redirectUriProblem(uri)).toEqual(expect.any(String))
  })
})

describe('an editor’s address is ours', () => {
  const ids = ['tidemark.tidemark', 'tidemark.tidemark-beta']
  const schemes = ['vscode', 'vscode-insiders', 'cursor', 'windsurf', 'vscodium']

  test.each(schemes)(
    'an editor’s address in %s is ours when it names one of our extensions, and only then',
    (scheme) => {
      expect(isOwnExtension(`${scheme}://tidemark.tidemark/auth`, ids)).toBe(true)
      expect(isOwnExtension(`${scheme}://Tidemark.Tidemark-Beta/auth?windowId=1`, ids)).toBe(true)
      for (const other of [
        'evil.tidemark',
        'tidemark.evil',
        'tidemark.tidemark-2',
        'evil.tidemark.tidemark',
      ]) {
        expect(isOwnExtension(`${scheme}://${other}/auth`, ids), other).toBe(false)
      }
    },
  )

  test('an editor’s address is ours when it is a port of the same machine and names no extension', () => {
    expect(isOwnExtension('http://127.0.0.1:49152/callback', ids)).toBe(true)
  })

  test('a redirect address is named for the user who is asked to approve', () => {
    expect(destinationOf('cursor://tidemark.tidemark/auth?windowId=1')).toEqual({
      kind: 'editor',
      name: 'Cursor',
      address: 'cursor://tidemark.tidemark',
    })
    expect(destinationOf('http://[::1]:8080/callback')).toEqual({
      kind: 'this_machine',
      name: 'A program on a computer',
      address: 'http://[::1]:8080',
    })
  })
})

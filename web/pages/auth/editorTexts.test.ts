import { expect, test } from 'vitest'
import { editorTexts } from './editorTexts.ts'

const editors = {
  vscode: 'Visual Studio Code',
  'vscode-insiders': 'Visual Studio Code Insiders',
  vscodium: 'VSCodium',
  cursor: 'Cursor',
  windsurf: 'Windsurf',
}

test.each(['vscode://tidemark.tidemark/auth', 'vscode-insiders://tidemark.tidemark/auth', 'nonsense'])(
  'the texts for %s say VSCode',
  (address) => {
    expect(editorTexts(address, editors)).toEqual({
      title: 'VSCode Extension Authentication',
      connect: 'Sign in to connect your VSCode extension',
      initiating: 'Initiating VSCode authentication...',
      signInFirst: 'You must be signed in to complete VSCode authentication. Redirecting to sign-in...',
      redirecting: 'Redirecting to VSCode...',
    })
  },
)

test.each([
  ['cursor://tidemark.tidemark/auth', 'Redirecting to Cursor...'],
  ['windsurf://tidemark.tidemark/auth', 'Redirecting to Windsurf...'],
  ['vscodium://tidemark.tidemark/auth', 'Redirecting to VSCodium...'],
  ['http://127.0.0.1:4000/callback', 'Redirecting to your editor...'],
])('the texts for %s name no other editor', (address, redirecting) => {
  const texts = editorTexts(address, editors)
  expect(texts.redirecting).toBe(redirecting)
  expect(Object.values(texts).join()).not.toContain('VSCode ')
})

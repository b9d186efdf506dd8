import { access, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { formParts } from './earlyFiles.ts'

const folder = new URL('../../node_modules/@clerk/ui/', import.meta.url)

test('the parts of the form are files of the installed components, wherever their script comes from', async () => {
  const text = await readFile(new URL('dist/ui.browser.js', folder), 'utf8')
  const { version } = JSON.parse(await readFile(new URL('package.json', folder), 'utf8'))
  for (const host of ['https://clerk.tidemark.example', '/__clerk']) {
    const parts = formParts(`${host}/npm/@clerk/ui@1/dist/ui.browser.js`, text)
    expect(parts).toHaveLength(4)
    for (const part of parts) {
      const start = `${host}/npm/@clerk/ui@${version}/dist/`
      expect(part.slice(0, start.length)).toBe(start)
      await access(new URL(`dist/${part.slice(start.length)}`, folder))
    }
  }
})

test('a script that names its parts in another way has none that are known', () => {
  expect(formParts('/npm/@clerk/ui@2/dist/ui.browser.js', 'i.u=e=>e+".js"')).toEqual([])
})

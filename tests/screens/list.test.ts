import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../../scripts/launch/script.ts'
import { screens } from './list.ts'

async function readRoutes(): Promise<string[]> {
  const read = (file: string) => readFile(join(repositoryRoot, 'web', file), 'utf8')
  const paths = (await read('content/paths.ts')).matchAll(/'(\/[^']*)'/g)
  return [...new Set(Array.from(paths, ([, path = '']) => path)), '*']
}

test('every route of the web app has a screen in every run, and every screen a route', async () => {
  const routes = await readRoutes()
  expect(routes.length).toBeGreaterThan(15)
  expect(new Set(screens.map(({ route }) => route))).toEqual(new Set(routes))
  const always = screens.filter((screen) => screen.always)
  expect(new Set(always.map(({ route }) => route))).toEqual(new Set(routes))
})

test('no two screens have one name', () => {
  const names = screens.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
})

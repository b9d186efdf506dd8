import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../launch/script.ts'

/** The lines of the web app that match, except in files that have a reason. */
async function placesOf(pattern: RegExp, exceptions: readonly string[]): Promise<string[]> {
  const places: string[] = []
  let files = 0
  for await (const path of glob('web/**/*.{ts,tsx,css,html}', {
    cwd: repositoryRoot,
    exclude: ['web/dist/**'],
  })) {
    files += 1
    if (exceptions.includes(path)) continue
    const lines = (await readFile(join(repositoryRoot, path), 'utf8')).split('\n')
    places.push(
      ...lines.flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${line}`] : [])),
    )
  }
  expect(files).toBeGreaterThan(0)
  return places
}

test('every font size of the web app is a step of the one scale in web/ui/theme.css', async () => {
  const arbitrary = /\btext-(?:\[|\()(?!color)[^\])]*(?:\d|length|size)|\bfont-?size\b/i
  // The library for charts takes numbers.
  expect(await placesOf(arbitrary, ['web/components/credits/UsageChart.tsx'])).toEqual([])
})

test('every table of the web app is the one of web/ui/Table.tsx', async () => {
  // The heads of the comparison stay below the page's header, for which the page must scroll, not a box.
  const exceptions = ['web/ui/Table.tsx', 'web/pages/pricing/ComparisonSection.tsx']
  expect(await placesOf(/<(?:table|thead|td)\b/, exceptions)).toEqual([])
})

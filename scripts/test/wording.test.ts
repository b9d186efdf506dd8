import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { repositoryRoot } from '../launch/script.ts'

const covered = 'docs sandbox schema scripts server tests web worker'.split(' ').map((room) => `${room}/**`)
const notYet = ['scripts/test/wording.test.ts', 'tests/simulation/{mutation-list,regressions}.ts']

const vague = /\b(?:whoever|nobody|somebody|anybody)\b/i
/** The one word is `claim`. */
const retired = /\bsweep/i
const comment = /^\s*(?:\/\/|\/\*|\*(?:[ /]|$))/
/** The formatter's `lineWidth`, which it does not enforce in comments. */
const width = 110
/** A title that begins with one of these takes its subject from somewhere else. */
const withoutSubject =
  `of that and or but by from without beside who whose which is are was were has have can cannot may must not
  accepts answers asks begins counts cuts distinguishes does ends explains fails falls finds follows forwards frees gives
  goes grants ignores keeps knows leaves listens makes mints names offers parses passes prefers reads refuses renews returns says sends
  separates sets shows stands stays stops subscribes succeeds takes tells throws treats uses waits writes`
    .split(/\s+/)
    .join('|')
/** In one line, or on the line where the rows of `each` end. */
const title = new RegExp(
  `(?:^ *(?:test|it)(?:\\.(?!describe)\\w+)*(?:\\([^()]*\\))?|^ *[\\])}]+)\\(['"\`](?:${withoutSubject}) `,
)

async function linesOf(pattern: string): Promise<{ where: string; line: string }[]> {
  const found: { where: string; line: string }[] = []
  for await (const path of glob(pattern, { cwd: repositoryRoot, exclude: notYet })) {
    if (!/\.(?:tsx?|mjs|sql|md)$/.test(path)) continue
    const lines = (await readFile(join(repositoryRoot, path), 'utf8')).split('\n')
    found.push(...lines.map((line, index) => ({ where: `${path}:${index + 1}`, line })))
  }
  return found
}

/** A link alone, and what Biome reads as one line, stay as they are. */
const canBeWrapped = (line: string) => line.trim().split(/\s+/).length > 3 && !line.includes('biome-ignore')

test.each(covered)('the wording of %s is plain', async (pattern) => {
  const lines = await linesOf(pattern)
  expect(lines.length).toBeGreaterThan(0)
  const problems = lines.flatMap(({ where, line }) => [
    ...(vague.test(line) ? [`${where} names no role: ${line.trim()}`] : []),
    ...(retired.test(line) ? [`${where} says sweep for claim: ${line.trim()}`] : []),
    ...(comment.test(line) && line.length > width && canBeWrapped(line)
      ? [`${where} is a comment of ${line.length} columns`]
      : []),
    ...(title.test(line) ? [`${where} has no subject: ${line.trim()}`] : []),
  ])
  expect(problems).toEqual([])
})

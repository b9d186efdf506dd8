import { expect, test } from 'vitest'
import { csvLine } from './csv.ts'

test.each([
  ['Credit purchase', 'Credit purchase'],
  ['a, b', '"a, b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  [-20, '-20'],
  [null, ''],
  ['=HYPERLINK("http://evil.test")', `"'=HYPERLINK(""http://evil.test"")"`],
  ['+1', `"'+1"`],
  ['-1+1', `"'-1+1"`],
  ['@SUM(A1)', `"'@SUM(A1)"`],
  ['\t=1', `"'\t=1"`],
  ['＝1', `"'＝1"`],
])('the field %j is written as %j', (cell, expected) => {
  expect(csvLine([cell, 'x'])).toBe(`${expected},x\r\n`)
})

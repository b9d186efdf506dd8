import { expect, test } from 'vitest'
import { csvLine } from './csv.ts'

test.each([
  ['Credit purchase', 'Credit purchase'],
  ['Grüße, “ok”', 'Grüße, “ok”'],
  ['a, b', 'a, b'],
  ['say "hi"', 'say ""hi""'],
  ['two\nlines', 'two\nlines'],
  [-20, '-20'],
  [null, ''],
  ['=HYPERLINK("http://evil.test")', `'=HYPERLINK(""http://evil.test"")`],
  ['+1', `'+1`],
  ['-1+1', `'-1+1`],
  ['@SUM(A1)', `'@SUM(A1)`],
  ['\t=1', `'\t'=1`],
  ['＝1', `'＝1`],
  // Where another separator is usual, one of these begins a cell, with or without spaces and quotes.
  ['x;=cmd|calc;y', `x;'=cmd|calc;y`],
  ['x,=1', `x,'=1`],
  ['x|@a', `x|'@a`],
  ['x\t-1', `x\t'-1`],
  ['x\r\n+1', `x\r\n'+1`],
  ['x; "=1', `x;' ""=1`],
  [' =1', `' =1`],
  ['1 - 2; 3', '1 - 2; 3'],
])('the field %j is written as %j', (cell, expected) => {
  expect(csvLine([cell, 'x'])).toBe(`"${expected}","x"\r\n`)
})

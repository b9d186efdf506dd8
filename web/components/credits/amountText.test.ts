import { describe, expect, test } from 'vitest'
import { creditPurchaseProblem } from '../../../schema/catalogue/credits.ts'
import { createAmountFormat } from './amountText.ts'

const read = (locale: string, text: string) => createAmountFormat(locale).parse(text)

describe('an amount that the user typed', () => {
  test.each(['en-US', 'de-DE', 'de-AT', 'de-CH', 'fr-FR', 'es-ES', 'en-IN', 'ar-EG', 'hi-IN-u-nu-deva'])(
    'an amount that a reader in %s sees is read as that amount, and so are its digits alone',
    (locale) => {
      for (const amount of [71, 1000, 71_428, 100_000, 1234.5]) {
        expect(read(locale, new Intl.NumberFormat(locale).format(amount))).toBe(amount)
        if (Number.isInteger(amount)) expect(read(locale, String(amount))).toBe(amount)
      }
    },
  )

  test.each([
    ['en-US', '1000.00', 1000],
    ['en-US', '1,000.5', 1000.5],
    ['en-US', '1.000', 1],
    ['de-DE', '1 000,00', 1000],
    ['de-DE', '1.000,00', 1000],
    ['de-DE', '150,5', 150.5],
    ['de-CH', "1'000", 1000],
    ['de-CH', '1’000.50', 1000.5],
    ['de-DE', "1'000", 1000],
    ['fr-FR', '1\u00a0000,5', 1000.5],
    ['fr-FR', '1 000', 1000],
    ['en-IN', '100,000', 100_000],
    ['ar-EG', '١٥٠٫٥', 150.5],
    ['en-US', '١٬٠٠٠', 1000],
    ['en-US', '۱۵۰٫۵', 150.5],
    ['en-US', '\u200e1,000\u200f', 1000],
    ['de-DE', '\u2066१०००\u2069', 1000],
    ['ja-JP', '１０００', 1000],
    ['ja-JP', '１，０００', 1000],
    ['en-US', ' 500 ', 500],
    ['en-US', '0500', 500],
    ['en-US', '-1', -1],
    ['en-US', '−1', -1],
    ['en-US', '+500', 500],
    ['en-US', '71.', 71],
    ['en-US', '.5', 0.5],
    ['en-US', '9'.repeat(400), Number.MAX_VALUE],
  ])('an amount typed in %s, %j, is %d', (locale, text, amount) => {
    expect(read(locale, text)).toBe(amount)
  })

  test.each([
    ['en-US', '1e3'],
    ['en-US', '1e'],
    ['en-US', '0x47'],
    ['en-US', 'Infinity'],
    ['en-US', '5oo'],
    ['en-US', '150,5'],
    ['en-US', '1.000,00'],
    ['en-US', '1,00,000'],
    ['en-US', '1,000 000'],
    ['en-US', '5²'],
    ['en-US', '1,'],
    ['en-US', ',100'],
    ['en-US', '1.2.3'],
    ['en-US', '--5'],
    ['en-US', '.'],
    ['en-US', '-'],
    ['en-US', '500 credits'],
    ['de-DE', '150.5'],
    ['de-DE', '1,000.00'],
    ['de-DE', '1.00'],
    ['fr-FR', '1.5'],
    ['de-AT', '1.5'],
  ])('an amount typed in %s, %j, is no number', (locale, text) => {
    expect(read(locale, text)).toBeNaN()
  })

  test.each(['', '  ', '\u00a0'])('an amount of %j is nothing', (text) => {
    expect(read('en-US', text)).toBe('')
  })

  test('an amount typed in Germany is read with German separators', () => {
    const judge = (text: string) => creditPurchaseProblem(read('de-DE', text))
    expect(judge('1.000')).toBeNull()
    expect(judge('1 000,00')).toBeNull()
    expect(judge('150,5')).toBe('Credits must be a whole number')
    expect(judge('1e3')).toBe('Please enter a valid number')
    expect(judge('71.429')).toBe('Maximum purchase is 71,428 credits')
  })
})

/** `|` is the caret. Types at it, as a browser does, and shows what the field then holds. */
function edit(locale: string, before: string, change: { type?: string; delete?: 'back' | 'forward' }) {
  const caret = before.indexOf('|')
  const text = before.replace('|', '')
  const [from, to] = {
    back: [caret - 1, caret],
    forward: [caret, caret + 1],
    none: [caret, caret],
  }[change.delete ?? 'none'] as [number, number]
  const typed = change.type ?? ''
  const next = createAmountFormat(locale).edit(text, {
    text: text.slice(0, from) + typed + text.slice(to),
    caret: from + typed.length,
    ...(change.delete ? { deleted: change.delete } : { typed }),
  })
  return `${next.text.slice(0, next.caret)}|${next.text.slice(next.caret)}`
}

/** One character after the other, from an empty field. */
function type(locale: string, text: string) {
  return Array.from(text).reduce((field, character) => edit(locale, field, { type: character }), '|')
}

describe('grouping while typing', () => {
  test.each([
    ['en-US', '71428', '71,428|'],
    ['de-DE', '71428', '71.428|'],
    ['de-DE', '1.000', '1.000|'],
    ['de-DE', '150,5', '150,5|'],
    ['de-DE', '150.5', '150.5|'],
    ['de-DE', '1 000,00', '1.000,00|'],
    ['es-ES', '1000', '1000|'],
    ['es-ES', '10000', '10.000|'],
    ['en-IN', '100000', '1,00,000|'],
    ['en-US', '1e3', '1e3|'],
    ['en-US', '-1000', '-1000|'],
    ['ja-JP', '１０００', '1,000|'],
    ['en-US', '007', '007|'],
  ])('grouping in %s turns %j into %j', (locale, typed, field) => {
    expect(type(locale, typed)).toBe(field)
  })

  test.each([
    ['1,00|0', { type: '2' }, '10,02|0'],
    ['|1,000', { type: '2' }, '2|1,000'],
    ['1|,000', { type: '2' }, '12|,000'],
    ['999|', { type: '1' }, '9,991|'],
    ['1,000|', { delete: 'back' }, '100|'],
    ['12,3|45', { delete: 'back' }, '1,2|45'],
    ['1|2,345', { delete: 'forward' }, '1|,345'],
    ['12,|345', { delete: 'back' }, '1|,345'],
    ['12|,345', { delete: 'forward' }, '1,2|45'],
    ['|1,050', { delete: 'forward' }, '|050'],
    ['1|', { delete: 'back' }, '|'],
  ] as const)('grouping turns %j and %o into %j', (before, change, after) => {
    expect(edit('en-US', before, change)).toBe(after)
  })

  test('grouping takes a pasted amount as it is meant, and formats it for the reader', () => {
    expect(edit('de-DE', '|', { type: "1'000" })).toBe('1.000|')
    expect(edit('de-DE', '|', { type: '3.000,00' })).toBe('3.000,00|')
    expect(edit('en-US', '|', { type: '3000' })).toBe('3,000|')
  })

  test('grouping never joins the digits of an amount that replaces another', () => {
    const replaced = createAmountFormat('de-DE').edit('1.000', { text: '1.5', caret: 3, typed: '1.5' })
    expect(replaced).toEqual({ text: '1.5', caret: 3 })
    expect(createAmountFormat('de-DE').edit('1.000', { text: '1.5', caret: 3, typed: null }).text).toBe('1.5')
  })

  test('grouping formats an amount for the reader', () => {
    expect(createAmountFormat('de-DE').format(71_428)).toBe('71.428')
    expect(createAmountFormat('fr-FR').format(1500)).toBe('1\u202f500')
  })
})

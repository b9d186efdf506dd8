import { expect, test } from 'vitest'
import { readerTimeZone, wellFormedLocales } from './reader.ts'

test.each([
  [
    ['de-DE', 'en'],
    ['de-DE', 'en'],
  ],
  [['en-US@posix'], ['en-US']],
  [['en_GB.UTF-8', 'C'], ['en-GB']],
  [['C'], ['en-US']],
  [[''], ['en-US']],
  [[], ['en-US']],
  [['*', 'fr', 'not a language'], ['fr']],
])('a browser with the languages %j formats by %j', (languages, expected) => {
  const locales = wellFormedLocales(languages)
  expect(locales).toEqual(expected)
  expect(new Intl.NumberFormat(locales).format(1)).toBe('1')
})

test('a browser without a list of languages formats in English', () => {
  expect(wellFormedLocales(undefined)).toEqual(['en-US'])
})

test.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  ['Etc/Unknown', 'UTC'],
  ['Foo/Bar', 'UTC'],
  ['', 'UTC'],
])('a browser in the time zone %j counts its days in %j', (reported, expected) => {
  expect(readerTimeZone(reported)).toBe(expected)
})

export interface AmountField {
  readonly text: string
  readonly caret: number
}

/** The field after a person's edit, and what the edit was. */
export interface AmountEdit extends AmountField {
  /** The typed or pasted text; null when the browser does not report it. */
  readonly typed?: string | null
  /** The direction in which something was deleted. */
  readonly deleted?: 'back' | 'forward'
}

export interface AmountFormat {
  /**
   * "" for an empty field, NaN for text that is no number in these locales; ambiguous text is never guessed.
   */
  parse(text: string): number | ''
  format(amount: number): string
  /** Groups digits while typing. Other text is left as it is, for `parse` to judge. */
  edit(previous: string, edit: AmountEdit): AmountField
}

/**
 * Reads and writes amounts as they are written in the reader's locale: `1.000` is a thousand in German and
 * one in English. Beside the locale's own separator, spaces and apostrophes group digits everywhere, as does
 * the comma or point that is not the decimal one.
 */
export function createAmountFormat(locales: string | readonly string[]): AmountFormat {
  const grouped = new Intl.NumberFormat(locales)
  const { decimal, groups, secondaryGroup, zero } = conventionsOf(grouped)
  const zeros = [zero, ...zerosOfScripts]
  const number = numberPattern({ decimal, groups, secondaryGroup })

  /**
   * The same text in ASCII digits and signs, with one kind of space and of apostrophe, and without the marks
   * of direction that are copied with a number.
   */
  const simplify = (text: string) =>
    text
      .replace(/[\uff01-\uff5e]/g, (wide) => String.fromCodePoint(wide.charCodeAt(0) - 0xfee0))
      .replace(/[\u200b\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
      .replace(/\p{Nd}/gu, (digit) => {
        const values = zeros.map((zero) => (digit.codePointAt(0) ?? 0) - zero)
        return String(values.find((value) => value >= 0 && value <= 9) ?? digit)
      })
      // The Arabic separators mean the same in every language.
      .replaceAll('٬', "'")
      .replaceAll('٫', decimal)
      .replace(/\s/g, ' ')
      .replace(/’/g, "'")
      .replace(/−/g, '-')

  const parse = (text: string) => {
    const simple = simplify(text).trim()
    if (simple === '') return ''
    const { sign, whole = '', fraction = '' } = number.exec(simple)?.groups ?? {}
    if (whole === '' && fraction === '') return Number.NaN
    const amount = Number(`${whole.replace(/\D/g, '')}.${fraction}0`)
    return (sign === '-' ? -1 : 1) * Math.min(amount, Number.MAX_VALUE)
  }

  const digitsOf = (text: string) => simplify(text).replace(/\D/g, '')
  const isGrouped = (text: string) => {
    const amount = parse(text)
    return amount === '' || (Number.isSafeInteger(amount) && amount >= 0 && grouped.format(amount) === text)
  }

  /** The digits with their groups, and the caret after as many of them as before. */
  const group = (digits: string, before: number): AmountField => {
    const amount = Number(digits)
    // A leading zero would be lost.
    if (digits === '' || digits.startsWith('0') || !Number.isSafeInteger(amount)) {
      return { text: digits, caret: before }
    }
    const text = grouped.format(amount)
    let caret = 0
    for (let passed = 0; passed < before; caret++) if (/\p{Nd}/u.test(text.charAt(caret))) passed++
    return { text, caret }
  }

  const edit = (previous: string, { text, caret, typed, deleted }: AmountEdit): AmountField => {
    const digits = digitsOf(text)
    const before = digitsOf(text.slice(0, caret)).length
    const isOfDigits = deleted !== undefined || (typed != null && /^\d+$/.test(simplify(typed)))
    if (isOfDigits && isGrouped(previous)) {
      // Only a separator was deleted, which would be back at once: the digit beside it is meant.
      if (deleted && digits === digitsOf(previous) && text !== previous) {
        const at = deleted === 'back' ? before - 1 : before
        return group(digits.slice(0, at) + digits.slice(at + 1), deleted === 'back' ? at : before)
      }
      return group(digits, before)
    }
    const isWhole = Number.isSafeInteger(parse(text)) && !/[-+]/.test(simplify(text))
    return isWhole && !simplify(text).includes(decimal) ? group(digits, before) : { text, caret }
  }

  return { parse, format: (amount) => grouped.format(amount), edit }
}

/** Arabic, Persian, Devanagari and Bengali digits are pasted into pages in other languages, too. */
const zerosOfScripts = [0x660, 0x6f0, 0x966, 0x9e6]

interface Conventions {
  readonly decimal: string
  /** What may stand between groups of digits. */
  readonly groups: readonly string[]
  /** 3, or 2 where only the last group has three digits, as in India. */
  readonly secondaryGroup: number
  /** The code point of the locale's own zero. */
  readonly zero: number
}

function conventionsOf(format: Intl.NumberFormat): Conventions {
  const parts = format.formatToParts(123_456_789.5)
  const own = (type: 'decimal' | 'group') => parts.find((part) => part.type === type)?.value ?? ''
  const decimal = own('decimal') || '.'
  const other = { ',': '.', '.': ',' }[decimal] ?? ''
  const [, secondary] = parts.filter(({ type }) => type === 'integer').toReversed()
  return {
    decimal,
    groups: [own('group').replace(/\s/, ' ').replace('’', "'"), other, ' ', "'"].filter(Boolean),
    secondaryGroup: secondary?.value.length ?? 3,
    zero: format.format(0).codePointAt(0) ?? 48,
  }
}

/** Sign, whole digits with one kind of separator or none, and digits after the decimal separator. */
function numberPattern({ decimal, groups, secondaryGroup }: Omit<Conventions, 'zero'>): RegExp {
  const separator = `[${groups.join('')}]`
  const whole = [
    `\\d{1,3}(?<by>${separator})\\d{3}(?:\\k<by>\\d{3})*`,
    ...(secondaryGroup === 3
      ? []
      : [`\\d{1,2}(?<short>${separator})(?:\\d{${secondaryGroup}}\\k<short>)*\\d{3}`]),
    '\\d*',
  ]
  return new RegExp(`^(?<sign>[-+]?)(?<whole>${whole.join('|')})(?:[${decimal}](?<fraction>\\d*))?$`)
}

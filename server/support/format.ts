import type { Currency } from '../../schema/catalogue/currency.ts'

/** Enough of an address to recognize it, and no more: `d…@example.com`. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf('@')
  return at < 1 ? '…' : `${email.slice(0, 1)}…${email.slice(at)}`
}

/** A member in a sentence: `d…@example.com (user_2abc)`, or the id alone of one who is unknown. */
export function memberText(id: string, email: string | null | undefined): string {
  return email ? `${maskEmail(email)} (${id})` : id
}

export function creditsText(credits: number): string {
  const amount = Math.abs(credits).toLocaleString('en-US')
  return `${amount} ${Math.abs(credits) === 1 ? 'credit' : 'credits'}`
}

export function moneyText(amount_minor: number, currency: Currency): string {
  return new Intl.NumberFormat('en-IE', { style: 'currency', currency }).format(amount_minor / 100)
}

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

/** `12 November 2026`, in UTC. */
export function dayText(at: Date | string): string {
  return dayFormat.format(new Date(at))
}

/** `14:32 UTC`. */
function timeText(at: Date): string {
  return `${at.toISOString().slice(11, 16)} UTC`
}

/** `4 May 2026 at 14:32 UTC`. */
export function momentText(at: Date): string {
  return `${dayText(at)} at ${timeText(at)}`
}

export function durationText(ms: number): string {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
  ] as const
  const [unit, length_ms] = units.find(([, length]) => ms >= length) ?? (['second', 1000] as const)
  const count = Math.max(1, Math.floor(ms / length_ms))
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

export function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

/** A sentence ends with one full stop, whatever the text that it ends with. */
export function sentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`
}

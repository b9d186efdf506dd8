const credits = new Intl.NumberFormat('en-US')
const day = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', year: 'numeric' })
const time = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' })

export function formatCredits(amount: number): string {
  return credits.format(amount)
}

/** Signed, with a minus sign instead of a hyphen: `+500`, `−40`. */
export function formatCreditChange(amount: number): string {
  return `${amount < 0 ? '−' : '+'}${credits.format(Math.abs(amount))}`
}

export function formatDay(iso: string): string {
  return day.format(new Date(iso))
}

export function formatTime(iso: string): string {
  return time.format(new Date(iso))
}

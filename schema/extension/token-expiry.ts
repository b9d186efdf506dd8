const lifetimeMonths = 4

/** When a token made now expires: after four calendar months, to the second; the last day of a month stays the last. */
export function tokenExpiry(createdAt: Date): Date {
  const expiry = new Date(createdAt)
  expiry.setUTCMonth(expiry.getUTCMonth() + lifetimeMonths)
  // 31 October plus four months is "31 February", which JavaScript takes for a day in March.
  if (expiry.getUTCDate() !== createdAt.getUTCDate()) expiry.setUTCDate(0)
  return expiry
}

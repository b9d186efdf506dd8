/** The codes of https://docs.stripe.com/declines/codes that are asked about. */
const declines: Readonly<Record<string, string>> = {
  insufficient_funds: 'insufficient funds',
  expired_card: 'the card has expired',
  incorrect_cvc: 'the security code is wrong',
  lost_card: 'the card was reported lost',
  stolen_card: 'the card was reported stolen',
  do_not_honor: 'the bank gives no reason',
  generic_decline: 'the bank gives no reason',
  authentication_required: 'the bank wants the customer to confirm it',
}

/** For support: every reason. */
export function declineText(code: string): string {
  return declines[code] ?? code.replaceAll('_', ' ')
}

/** What a customer can act on. Stripe asks not to tell of a lost or stolen card (same page). */
const toldToCustomers = new Set(['insufficient_funds', 'expired_card', 'incorrect_cvc'])

export function customerDeclineText(code: string | null): string | null {
  return code !== null && toldToCustomers.has(code) ? declineText(code) : null
}

/** Latest first. The dates are those on which the change could first be used. */
export const updates = [
  {
    date: '2026-11-26',
    title: 'Several editors, and a safer sign-in',
    text: 'A second editor no longer signs you out of the first. When one asks for access, nothing is stored until you agree.',
    points: [
      'Up to ten editors, listed on the dashboard with when each was last used; revoke one or all',
      'The page names the account and the editor before you decide',
      'A request you do not answer expires after ten minutes',
      'Closing the page is enough to refuse',
    ],
  },
  {
    date: '2026-11-25',
    title: 'Renewals you can follow',
    text: 'The dashboard and billing now say what is happening to the payment for your next period.',
    points: [
      'A notice while your plan is being renewed',
      'If your bank wants you to confirm the payment, a link to the page where you do it',
    ],
  },
  {
    date: '2026-11-22',
    title: 'Organizations, and every balance explained',
    text: 'A Teams plan has seats, roles and one pool of credits. Every balance can be traced to the payments behind it.',
    points: [
      'Invitations by email, each of which holds a seat until it is accepted or revoked',
      'Each change of a balance with its cause, on any day',
      'Export of your history, and your invoices and receipts in one list',
      'Light and dark themes, on a phone as well as on a desktop',
    ],
  },
  {
    date: '2026-11-20',
    title: 'Credits you can count',
    text: 'Every purchase, grant, refund and request is an entry with the balance after it.',
    points: [
      'A payment page that waits until the credits are in your balance',
      'Purchased credits that never expire, used after those of your plan',
      'Prices in euros, US dollars and British pounds',
    ],
  },
] as const

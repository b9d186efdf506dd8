import type { Sample } from './sample.ts'

interface Update extends Sample {
  readonly date: string
  readonly title: string
  readonly text: string
  readonly points: readonly string[]
}

/** Latest first. The dates are those on which the change could first be used. */
export const updates: readonly Update[] = [
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
  {
    date: '2025-08-10',
    title: 'AI-powered suggestions',
    text: 'The assistant suggests the next step while you work.',
    points: ['Suggestions that follow the file you are in', 'Accept one with a single key'],
    sample: true,
  },
  {
    date: '2025-08-05',
    title: 'Accessibility',
    text: 'The site can be used by keyboard and with a screen reader.',
    points: ['Visible focus on every control', 'Higher contrast in both themes'],
    sample: true,
  },
  {
    date: '2025-08-01',
    title: 'Performance',
    text: 'Pages load up to 40% faster.',
    points: ['Smaller scripts', 'Images that load when they are needed'],
    sample: true,
  },
]

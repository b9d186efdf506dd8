export const teamFeatures = [
  {
    id: 'billing',
    title: 'Centralized billing',
    text: 'One subscription and one invoice for all seats. No more expense reports for card payments.',
  },
  {
    id: 'pool',
    title: 'A shared pool of credits',
    text: 'All seats share one balance, so one person’s busy week does not stop their work.',
  },
  {
    id: 'seats',
    title: 'Seats that move',
    text: 'Invite by email, take a seat back when a member leaves, and add more when you run out.',
  },
  {
    id: 'dashboard',
    title: 'Usage by member',
    text: 'See what was granted, who used it and what is left, down to the single entry.',
  },
  {
    id: 'roles',
    title: 'Two clear roles',
    text: 'Administrators add credits, invite people and assign seats. Members write code.',
  },
  {
    id: 'support',
    title: 'Support with the full record',
    text: 'Support sees what happened to a payment and to every credit it bought, and can put it right.',
  },
] as const

export const teamSecurity = [
  {
    id: 'privacy',
    title: 'No code in your account',
    text: 'Editors report how many credits a request used and one line about it. Your files never reach your account.',
  },
  {
    id: 'tokens',
    title: 'Tokens you can revoke',
    text: 'An editor signs in once and gets a token. We store only its hash, and you can revoke it with one click.',
  },
  {
    id: 'checks',
    title: 'Membership checked on every request',
    text: 'A member who leaves the organization loses access to its credits with the next request.',
  },
  {
    id: 'cards',
    title: 'Cards stay with Stripe',
    text: 'Card numbers are entered on Stripe’s pages. They never reach our servers.',
  },
] as const

export const teamFeatures = [
  {
    id: 'billing',
    title: 'Centralized billing',
    text: 'One subscription and one invoice for all seats. No more expense reports for card payments.',
  },
  {
    id: 'pool',
    title: 'A shared pool of credits',
    text: 'The credits of all seats are one balance, so that a busy week of one person is no problem of theirs.',
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
    title: 'Two roles, clearly apart',
    text: 'Administrators buy, invite and assign. Members write code and see nothing they do not need.',
  },
  {
    id: 'support',
    title: 'Support that can look it up',
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
    title: 'Tokens that can be revoked',
    text: 'An editor signs in once and gets a token of which we keep only a hash. Revoking it takes one click.',
  },
  {
    id: 'checks',
    title: 'Membership checked at every call',
    text: 'A member who leaves the organization loses access to its credits with the next request.',
  },
  {
    id: 'cards',
    title: 'Cards stay with Stripe',
    text: 'Card numbers are entered on Stripe’s pages. They never reach our servers.',
  },
] as const

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
    text: 'Invite by e-mail, take a seat back when a member leaves, and add more when you run out.',
  },
  {
    id: 'dashboard',
    title: 'Admin dashboard with analytics',
    text: 'See what was granted, what was used and what is left, down to the single entry.',
  },
  {
    id: 'roles',
    title: 'Two roles, clearly apart',
    text: 'Administrators buy, invite and assign. Members write code and see nothing they do not need.',
  },
  {
    id: 'support',
    title: 'Priority support',
    text: 'Your questions go first, to people who can see what happened to a payment and put it right.',
  },
] as const

export const teamSecurity = [
  {
    id: 'privacy',
    title: 'Privacy mode',
    text: 'With privacy mode on, your code is neither stored nor used for training.',
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

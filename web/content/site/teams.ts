import type { Card, Sample } from './sample.ts'

export const teamsHero = {
  badge: 'Teams and Enterprise',
  title: 'One bill, one pool of credits, a seat for everyone',
  text: 'Give the whole team the same assistant, with records your finance team can check.',
}

export const teamSections = {
  features: {
    title: 'Built for the person who pays, too',
    text: 'Everything developers like about Pro, and what the rest of the company needs to say yes.',
  },
  security: {
    title: 'How we protect your code and your money',
    text: 'Where your code and your card details are kept, and who can reach them.',
  },
  quotes: { title: 'What customers say', text: 'From teams that write code with it every day.' },
  contact: {
    title: 'Talk to us about your team',
    text: 'Tell us how many seats you need and what your security review asks for.',
  },
}

interface Quote extends Sample {
  readonly text: string
  readonly name: string
  readonly role: string
}

export const quotes: readonly Quote[] = [
  {
    text: 'Reviews go faster because every change arrives as a diff with its tests.',
    name: 'Sample Customer',
    role: 'Engineering lead at a sample company',
    sample: true,
  },
  {
    text: 'One pool for all seats means that nobody has to ask for credits in the middle of a task.',
    name: 'Another Sample Customer',
    role: 'Head of platform at a sample company',
    sample: true,
  },
  {
    text: 'I can see what each payment bought and who used it. Month-end takes minutes.',
    name: 'A Third Sample Customer',
    role: 'Finance manager at a sample company',
    sample: true,
  },
]

export const teamFeatures: readonly Card[] = [
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
    title: 'Support that can see what happened',
    text: 'Support sees what happened to a payment and to every credit it bought, and can put it right.',
  },
]

export const teamSecurity: readonly Card[] = [
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
]

import { maximumSeats, type PlanType, plans } from './plans.ts'

/** Whether a plan has an item, or how much of it. */
type Included = boolean | string

interface PlanItem {
  readonly name: string
  readonly starter: Included
  readonly pro: Included
  readonly teams: Included
  /** The item on a card, where an amount says more than the name; null where the card says it elsewhere. */
  readonly card?: string | null
}

const everyPlan = { starter: true, pro: true, teams: true }
const onlyTeams = { starter: false, pro: false, teams: true }
const { pro, teams } = plans

/**
 * What each plan includes: the only list, for cards, the comparison, the dashboard and `/api/plans`. An item
 * is here if the product keeps it today. Tab completions are unlimited because no editor reports them as
 * usage (docs/extension.md); an agent's requests are not, because they are charged.
 */
export const planItems: readonly { readonly title: string; readonly items: readonly PlanItem[] }[] = [
  {
    title: 'Credits',
    items: [
      {
        name: 'Credits each month',
        starter: false,
        pro: String(pro.credits_per_seat),
        teams: `${teams.credits_per_seat} per seat`,
        card: `${pro.credits_per_seat} credits per month included`,
      },
      { name: 'Add credits at any time', ...everyPlan },
      { name: 'Purchased credits never expire', ...everyPlan },
    ],
  },
  {
    title: 'In your editor',
    items: [
      { name: 'Unlimited tab completion', ...everyPlan },
      { name: 'Agent requests, paid with credits', ...everyPlan },
      { name: 'VS Code, Cursor, Windsurf and VSCodium', ...everyPlan },
    ],
  },
  {
    title: 'Your account',
    items: [
      { name: 'A history of every credit, with export', ...everyPlan },
      { name: 'Invoices and receipts', ...everyPlan },
    ],
  },
  {
    title: 'Organization',
    items: [
      { name: 'Seats', starter: '1', pro: '1', teams: `Up to ${maximumSeats}`, card: null },
      { name: 'One credit pool for all seats', ...onlyTeams },
      { name: 'Centralized billing', ...onlyTeams },
      { name: 'Invitations by email', ...onlyTeams },
      { name: 'Seats that can be reassigned', ...onlyTeams },
      { name: 'Admin and member roles', ...onlyTeams },
      { name: 'Usage by member', ...onlyTeams },
      { name: 'SSO / SAML', starter: false, pro: false, teams: false },
    ],
  },
]

/** What a plan's card lists, most important first. */
export function planFeatures(plan: PlanType): readonly string[] {
  const items = planItems.flatMap((group) => group.items)
  if (plan !== 'teams') return items.filter((item) => item[plan]).flatMap(cardText)
  const [monthly = ''] = items.slice(0, 1).flatMap(cardText)
  return [
    `Everything in ${pro.name}`,
    `${monthly} for each seat`,
    ...items.filter((item) => item.teams && !item.pro).flatMap(cardText),
  ]
}

function cardText({ name, card = name }: PlanItem): readonly string[] {
  return card === null ? [] : [card]
}

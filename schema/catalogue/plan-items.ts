import { maximumSeats, type Plan } from './plans.ts'
import { personalPlan } from './sold-plans.ts'

/** Whether a plan has an item, or how much of it. */
type Included = boolean | string

interface PlanItem {
  readonly name: string
  readonly included: (plan: Plan, maximum_seats: number) => Included
  /** The item on a card, where an amount says more than the name; null where the card says it elsewhere. */
  readonly card?: ((plan: Plan) => string) | null
}

const always = () => true
const withSeats = ({ per_seat }: Plan) => per_seat

/**
 * What each plan includes: the only list, for cards, the comparison and the dashboard. An item
 * is here if the product keeps it today. Tab completions are unlimited because no editor reports them as
 * usage (docs/extension.md); an agent's requests are not, because they are charged.
 */
export const planItems: readonly { readonly title: string; readonly items: readonly PlanItem[] }[] = [
  {
    title: 'Credits',
    items: [
      {
        name: 'Credits each month',
        included: ({ credits_per_seat, per_seat }) =>
          credits_per_seat > 0 && `${credits_per_seat}${per_seat ? ' per seat' : ''}`,
        card: ({ credits_per_seat, per_seat }) =>
          `${credits_per_seat} credits per month included${per_seat ? ' for each seat' : ''}`,
      },
      { name: 'Add credits at any time', included: always },
      { name: 'Purchased credits never expire', included: always },
    ],
  },
  {
    title: 'In your editor',
    items: [
      { name: 'Unlimited tab completion', included: always },
      { name: 'Agent requests, paid with credits', included: always },
      { name: 'VS Code, Cursor, Windsurf and VSCodium', included: always },
    ],
  },
  {
    title: 'Your account',
    items: [
      { name: 'A history of every credit, with export', included: always },
      { name: 'Invoices and receipts', included: always },
    ],
  },
  {
    title: 'Organization',
    items: [
      { name: 'Seats', included: ({ per_seat }, most) => (per_seat ? `Up to ${most}` : '1'), card: null },
      { name: 'One credit pool for all seats', included: withSeats },
      { name: 'Centralized billing', included: withSeats },
      { name: 'Invitations by email', included: withSeats },
      { name: 'Seats that can be reassigned', included: withSeats },
      { name: 'Admin and member roles', included: withSeats },
      { name: 'Usage by member', included: withSeats },
      { name: 'SSO / SAML', included: () => false },
    ],
  },
]

/** What a plan's card lists, most important first. */
export function planFeatures(plan: Plan): readonly string[] {
  const items = planItems
    .flatMap((group) => group.items)
    .filter(({ included, card }) => card !== null && included(plan, maximumSeats))
    // What every plan has goes without saying beside the seats.
    .filter(({ included, card }) => !plan.per_seat || card || !included(personalPlan, maximumSeats))
  const features = items.map(({ name, card }) => card?.(plan) ?? name)
  return plan.per_seat ? [`Everything in ${personalPlan.name}`, ...features] : features
}

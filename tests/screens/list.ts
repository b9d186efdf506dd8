import type { Page } from '@playwright/test'
import type { Cast, Role } from './cast.ts'

export interface Screen {
  /** What its pictures are called. */
  readonly name: string
  readonly route: string
  readonly as: Role
  /** Unless it is the route itself; `?…` is added to that. */
  readonly address?: string | ((cast: Cast) => string)
  /** A text that is only there when the screen is complete. */
  readonly shows: string | RegExp
  /** Opens a dialog or a menu of it. */
  readonly open?: (page: Page) => Promise<void>
  /**
   * `npm test` looks at it too, in the light theme or in both, as the long run looks at every screen. Each
   * route has one, the one with most on it.
   */
  readonly always?: 'light' | 'both'
  /** The opened part exists only in wide or in narrow windows. */
  readonly only?: 'wide' | 'narrow'
}

/** Presses a button and waits for the dialog, the menu or the answer that it opens. */
const press = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name }).first().click()
  await page.locator('[role=dialog]:visible, [aria-expanded=true]:visible').first().waitFor()
}
/** The dialog of an act, with what would come of it. */
const dialog = (button: string, text: string) => async (page: Page) => {
  await page.getByRole('button', { name: button, exact: true }).click()
  await page.getByRole('dialog').getByText(text).waitFor()
}
const unfold = (name: RegExp) => (page: Page) => page.getByRole('button', { name }).first().click()
/** Of the latest payment. */
const openRefund = async (page: Page) => {
  await unfold(/^(Checkout of .*Settled|Invoice paid)/)(page)
  await page.getByRole('button', { name: 'Refund', exact: true }).click()
}
/** A part of the subscriber's case, as support sees it. */
const inCase = (name: string, open: (page: Page) => Promise<void>): Omit<Screen, 'route'> => ({
  name,
  as: 'support',
  address: ({ supportCase }) => supportCase,
  shows: 'Timeline',
  open,
})
/** What a second person says to an erasure, and what its dialog asks for. */
const answerErasure = (answer: string, label: string) => async (page: Page) => {
  const waiting = page.getByRole('listitem').filter({ hasText: 'Erase person' }).first()
  await waiting.getByRole('button', { name: answer }).click()
  await page.getByRole('dialog').getByLabel(label).waitFor()
}
const editor =
  'state=kMPUHNRBrLGSDSgCd2L9FDJzCVNtZlkq&redirect_uri=vscode%3A%2F%2Ftidemark.tidemark%2Fauth&editor_name=VS+Code+on+laptop'
const [extensionSignin, callback] = [
  `/extension-signin?${editor}`,
  `/auth/vscode-callback?${editor.replace('redirect_uri', 'vscode_redirect_uri')}&request=signed`,
]

/** By the route as the router writes it; every route of the web app has at least one screen (list.test.ts). */
const byRoute: Readonly<Record<string, readonly Omit<Screen, 'route'>[]>> = {
  '/': [
    { name: 'landing', as: 'visitor', always: 'both', shows: 'Frequently asked questions' },
    { name: 'landing-menu', as: 'visitor', shows: 'Pricing', open: press('Resources'), only: 'wide' },
    {
      name: 'landing-phone-menu',
      as: 'visitor',
      always: 'light',
      shows: 'Frequently asked questions',
      open: async (page) => {
        await press('Open menu')(page)
        const menu = page.getByRole('dialog')
        await menu.getByText('Resources').click()
        await menu.getByRole('link', { name: /^Updates/ }).waitFor()
      },
      only: 'narrow',
    },
    { name: 'landing-signed-in', as: 'subscriber', shows: 'Go to Dashboard' },
  ],
  '/pricing': [
    { name: 'pricing', as: 'visitor', shows: 'Compare Plans' },
    {
      name: 'pricing-yearly',
      as: 'visitor',
      always: 'both',
      address: '?billing=yearly&currency=USD',
      shows: 'once a year',
      open: (page) => page.locator('#faq summary').first().click(),
    },
  ],
  '/teams': [{ name: 'teams', as: 'visitor', always: 'light', shows: 'Frequently asked questions' }],
  '/updates': [{ name: 'updates', as: 'visitor', always: 'light', shows: '2026' }],
  '/docs': [{ name: 'docs', as: 'visitor', always: 'light', shows: 'For extension authors' }],
  '/terms': [{ name: 'terms', as: 'visitor', always: 'light', shows: 'This is a sample' }],
  '/privacy': [{ name: 'privacy', as: 'visitor', always: 'light', shows: 'This is a sample' }],
  '/refunds': [{ name: 'refunds', as: 'visitor', always: 'light', shows: 'This is a sample' }],
  '/imprint': [{ name: 'imprint', as: 'visitor', always: 'light', shows: 'This is a sample' }],
  '/sign-up/*': [
    { name: 'sign-up', as: 'visitor', address: '/sign-up', shows: 'Email address' },
    {
      name: 'sign-up-plan',
      as: 'visitor',
      always: 'both',
      address: '/sign-up?plan=teams&billing=yearly&currency=USD&seats=5',
      shows: 'Email address',
    },
  ],
  '/sign-in/*': [
    { name: 'sign-in', as: 'visitor', always: 'light', address: '/sign-in', shows: 'Email address' },
  ],
  '/invite/:organizationId/:invitationId': [
    {
      name: 'invite-elsewhere',
      as: 'newcomer',
      always: 'light',
      address: ({ invitation }) => invitation,
      shows: /invitation/i,
    },
    {
      name: 'invite-member',
      as: 'member',
      address: ({ invitation }) => invitation,
      shows: 'You are a member of',
    },
  ],
  '/auth/post-signup': [
    {
      name: 'post-signup-refused',
      as: 'newcomer',
      always: 'light',
      address: '?plan=teams&seats=101',
      shows: 'Seats must be a whole number',
    },
    {
      name: 'post-signup-subscribed',
      as: 'subscriber',
      address: '?plan=pro',
      shows: 'You are already subscribed',
    },
  ],
  '/auth/vscode-initiate': [
    { name: 'vscode-initiate-error', as: 'visitor', always: 'light', shows: 'Missing VSCode redirect URI' },
  ],
  '/auth/vscode-callback': [
    { name: 'vscode-callback-error', as: 'visitor', shows: 'Missing required parameters' },
    { name: 'vscode-callback', as: 'newcomer', always: 'light', address: callback, shows: 'Connect editor' },
  ],
  '/extension-signin': [
    { name: 'extension-error', as: 'visitor', shows: 'Authentication Error' },
    { name: 'extension-visitor', as: 'visitor', address: extensionSignin, shows: 'Sign in to connect' },
    { name: 'extension', as: 'newcomer', always: 'both', address: extensionSignin, shows: 'Connect editor' },
  ],
  '/dashboard': [
    { name: 'dashboard-new', as: 'newcomer', shows: 'Available Credits' },
    { name: 'dashboard', as: 'subscriber', always: 'both', shows: 'Available Credits' },
    {
      name: 'dashboard-notifications',
      as: 'subscriber',
      shows: 'Available Credits',
      open: press(/^Notifications/),
    },
    { name: 'dashboard-sandbox', as: 'newcomer', shows: 'Available Credits', open: press('Sandbox') },
    {
      name: 'dashboard-sidebar',
      as: 'subscriber',
      shows: 'Available Credits',
      open: press('Toggle sidebar'),
      only: 'narrow',
    },
    {
      name: 'dashboard-rail',
      as: 'subscriber',
      shows: 'Available Credits',
      open: (page) => page.keyboard.press('Control+b'),
      only: 'wide',
    },
    { name: 'dashboard-past-due', as: 'debtor', always: 'both', shows: 'Available Credits' },
    { name: 'dashboard-admin', as: 'admin', shows: 'Available Credits' },
    { name: 'dashboard-member', as: 'member', shows: 'Available Credits' },
  ],
  '/profile': [{ name: 'profile', as: 'newcomer', always: 'light', shows: 'Profile details' }],
  '/billing': [
    { name: 'billing-new', as: 'newcomer', shows: 'Billing & Payments' },
    { name: 'billing', as: 'subscriber', shows: 'This Month' },
    { name: 'billing-credits', as: 'subscriber', address: '?tab=credits', shows: 'Usage Summary' },
    {
      name: 'billing-invoices',
      as: 'subscriber',
      always: 'light',
      address: '?tab=invoices',
      shows: 'Invoices and receipts',
    },
    { name: 'billing-usage', as: 'subscriber', always: 'both', address: '?tab=usage', shows: 'No model' },
    {
      name: 'billing-usage-none',
      as: 'newcomer',
      address: '?tab=usage',
      shows: 'Nothing in the last 30 days',
    },
    { name: 'billing-usage-people', as: 'admin', address: '?tab=usage&by=person', shows: 'Usage breakdown' },
    { name: 'billing-usage-member', as: 'member', address: '?tab=usage', shows: 'small-2026-08' },
    {
      name: 'billing-transactions',
      as: 'subscriber',
      address: '?tab=invoices&view=transactions',
      shows: 'Balance before these changes',
    },
    { name: 'billing-past-due', as: 'debtor', shows: 'This Month' },
    { name: 'billing-organization', as: 'admin', address: '?tab=organization', shows: 'Teams plan' },
    { name: 'billing-member', as: 'member', address: '?tab=invoices', shows: 'Admin Access Required' },
  ],
  '/teams/start': [
    { name: 'teams-start', as: 'newcomer', shows: 'Continue to payment' },
    {
      name: 'teams-start-pro',
      as: 'subscriber',
      always: 'light',
      shows: 'End my Pro plan when Teams is paid',
    },
  ],
  '/organizations': [
    { name: 'organizations-none', as: 'newcomer', shows: 'No organization selected' },
    { name: 'organizations', as: 'admin', shows: 'General' },
    { name: 'organizations-billing', as: 'admin', address: '?tab=billing', shows: 'Teams plan' },
    { name: 'organizations-seats', as: 'admin', always: 'both', address: '?tab=seats', shows: 'Active' },
    {
      name: 'organizations-assign',
      as: 'admin',
      address: '?tab=seats',
      shows: 'Active',
      open: press(/^Assign seat/i),
    },
    {
      name: 'organizations-buy-seats',
      as: 'admin',
      address: '?tab=seats',
      shows: 'Active',
      open: press('Buy Additional Seats'),
    },
    { name: 'organizations-member', as: 'member', address: '?tab=seats', shows: 'Admin Access Required' },
  ],
  '/payment/success': [
    {
      name: 'payment-plan',
      as: 'subscriber',
      always: 'both',
      address: ({ planPaid }) => planPaid,
      shows: 'Your trial has started',
    },
    {
      name: 'payment-teams',
      as: 'admin',
      address: ({ teamsPaid }) => teamsPaid,
      shows: 'Payment Successful!',
    },
    { name: 'payment-unknown', as: 'newcomer', shows: 'Invalid payment session' },
  ],
  '/billing/success': [
    {
      name: 'payment-credits',
      as: 'subscriber',
      address: ({ creditsPaid }) => creditsPaid,
      shows: 'Payment Successful!',
    },
    {
      name: 'payment-pending',
      as: 'subscriber',
      always: 'light',
      address: ({ creditsPending }) => creditsPending,
      shows: 'Payment pending',
    },
  ],
  '/payment/cancelled': [
    { name: 'payment-cancelled', as: 'newcomer', always: 'light', shows: 'Payment Cancelled' },
  ],
  '/support': [
    { name: 'support-work', as: 'support', always: 'both', shows: 'Waiting for a second person' },
    {
      name: 'support-work-failed',
      as: 'support',
      address: '?state=failed',
      shows: 'in_1WithoutCustomer',
      open: (page) => page.getByRole('checkbox').first().check(),
    },
    {
      name: 'support-erase-approval',
      as: 'support',
      shows: 'Waiting for a second person',
      open: async (page) => {
        await answerErasure('Approve', 'Email address of the person')(page)
        await page.getByRole('dialog').getByText('Left to do').waitFor()
      },
    },
    {
      name: 'support-erase-refusal',
      as: 'support',
      shows: 'Waiting for a second person',
      open: answerErasure('Refuse', 'Reason'),
    },
  ],
  '/support/search': [
    { name: 'support-search', as: 'support', shows: 'Supported searches' },
    {
      name: 'support-search-hits',
      as: 'support',
      always: 'light',
      address: ({ searches }) => `?q=${searches.email}`,
      shows: '2 matches',
    },
    {
      name: 'support-search-stripe',
      as: 'support',
      address: ({ searches }) => `?q=${searches.session}`,
      shows: 'Timeline',
    },
    { name: 'support-search-nothing', as: 'support', address: '?q=ch_3Unknown', shows: 'No results for' },
  ],
  '/support/trace': [
    inCase('support-trace', (page) => {
      const timeline = page.getByRole('region', { name: 'Timeline' })
      return timeline.getByRole('button', { expanded: false }).first().click()
    }),
    {
      name: 'support-customer',
      as: 'support',
      address: ({ supportCase }) => `${supportCase}&view=customer`,
      shows: 'Invoices and receipts',
    },
    { name: 'support-hold', as: 'support', address: ({ holdCase }) => holdCase, shows: 'Release credits' },
    {
      name: 'support-hold-settled',
      as: 'support',
      address: ({ settledCase }) => settledCase,
      shows: 'Settled: ',
      open: unfold(/^Settled: /),
    },
    {
      name: 'support-attention',
      as: 'support',
      always: 'both',
      address: ({ attentionCase }) => attentionCase,
      shows: 'Goodwill',
    },
    inCase('support-act', unfold(/by support/)),
    { ...inCase('support-dialog', dialog('Resync', 'would change')), always: 'light' },
    inCase('support-adjust', async (page) => {
      await page.getByRole('button', { name: 'Adjust credits' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Credits').fill('6000')
      await dialog.getByLabel('Note for the customer').fill('For the outage of Friday')
      await dialog.getByRole('button', { name: 'Preview' }).click()
      await dialog.getByText('+6,000 credits').waitFor()
    }),
    { ...inCase('support-refund', openRefund), always: 'both' },
    inCase('support-refund-preview', async (page) => {
      await openRefund(page)
      await page.getByRole('dialog').getByRole('button', { name: 'Preview' }).click()
      await page.getByText('Refunded', { exact: true }).waitFor()
    }),
    {
      name: 'support-erase',
      as: 'support',
      address: ({ erasureCase }) => erasureCase,
      shows: 'Timeline',
      open: dialog('Erase person', 'Left to do'),
    },
    inCase('support-erase-refused', dialog('Erase person', 'It is not possible yet')),
  ],
  '/support/reconciliation': [
    { name: 'support-reconciliation', as: 'support', always: 'both', shows: 'with no support act recorded' },
    {
      name: 'support-reconciliation-kind',
      as: 'support',
      address: '?kind=adjustment_unexplained',
      shows: 'with no support act recorded',
    },
  ],
  '/support/statement': [{ name: 'support-statement', as: 'support', always: 'light', shows: 'Purchased ±' }],
  '/support/audit': [
    { name: 'support-audit', as: 'support', shows: /No acts yet|Done|Asked for|No access/ },
    {
      name: 'support-audit-batch',
      as: 'support',
      address: ({ batch }) => `?batch_id=${batch}`,
      shows: /3 items: /,
    },
    {
      name: 'support-audit-grouped',
      as: 'support',
      always: 'light',
      // What support looked at since fills the first page of the whole log.
      address: ({ colleague }) => `?actor=${colleague}`,
      shows: /^3 items · /,
      open: unfold(/3 items/),
    },
  ],
  '*': [
    { name: 'not-found', as: 'visitor', always: 'light', address: '/nowhere', shows: 'Oops! Page not found' },
  ],
}

export const screens: readonly Screen[] = Object.entries(byRoute).flatMap(([route, all]) =>
  all.map((screen) => ({ route, ...screen })),
)

export function addressOf({ address = '', route }: Screen, cast: Cast): string {
  const own = typeof address === 'function' ? address(cast) : address
  return own.startsWith('/') ? own : route + own
}

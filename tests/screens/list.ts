import type { Page } from '@playwright/test'
import type { Cast, Role } from './cast.ts'

export interface Screen {
  /** What its pictures are called. */
  readonly name: string
  /** As the router writes it; every route of the web app has at least one screen (list.test.ts). */
  readonly route: string
  readonly as: Role
  /** Unless it is the route itself. */
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
const editor =
  'state=kMPUHNRBrLGSDSgCd2L9FDJzCVNtZlkq&redirect_uri=vscode%3A%2F%2Ftidemark.tidemark%2Fauth&editor_name=VS+Code+on+laptop'
const [extensionSignin, callback] = [
  `/extension-signin?${editor}`,
  `/auth/vscode-callback?${editor.replace('redirect_uri', 'vscode_redirect_uri')}&request=signed`,
]

export const screens: readonly Screen[] = [
  { name: 'landing', route: '/', as: 'visitor', always: 'both', shows: 'Frequently asked questions' },
  {
    name: 'landing-menu',
    route: '/',
    as: 'visitor',
    shows: 'Pricing',
    open: press('Resources'),
    only: 'wide',
  },
  {
    name: 'landing-phone-menu',
    route: '/',
    as: 'visitor',
    always: 'light',
    shows: 'Frequently asked questions',
    open: async (page) => {
      await press('Open menu')(page)
      const menu = page.getByRole('dialog')
      await menu.getByRole('button', { name: 'Resources' }).click()
      await menu.getByRole('link', { name: /^Updates/ }).waitFor()
    },
    only: 'narrow',
  },
  { name: 'landing-signed-in', route: '/', as: 'subscriber', shows: 'Go to Dashboard' },
  { name: 'pricing', route: '/pricing', as: 'visitor', shows: 'Compare Plans' },
  {
    name: 'pricing-yearly',
    route: '/pricing',
    as: 'visitor',
    always: 'both',
    address: '/pricing?billing=yearly&currency=USD',
    shows: 'once a year',
    open: (page) =>
      page.getByRole('region', { name: 'Frequently asked questions' }).getByRole('button').first().click(),
  },
  { name: 'teams', route: '/teams', as: 'visitor', always: 'light', shows: 'Frequently asked questions' },
  { name: 'updates', route: '/updates', as: 'visitor', always: 'light', shows: '2026' },
  { name: 'docs', route: '/docs', as: 'visitor', always: 'light', shows: 'For extension authors' },
  { name: 'terms', route: '/terms', as: 'visitor', always: 'light', shows: 'This is a sample' },
  { name: 'privacy', route: '/privacy', as: 'visitor', always: 'light', shows: 'This is a sample' },
  { name: 'refunds', route: '/refunds', as: 'visitor', always: 'light', shows: 'This is a sample' },
  { name: 'imprint', route: '/imprint', as: 'visitor', always: 'light', shows: 'This is a sample' },

  { name: 'sign-up', route: '/sign-up/*', as: 'visitor', address: '/sign-up', shows: 'Email address' },
  {
    name: 'sign-up-plan',
    route: '/sign-up/*',
    as: 'visitor',
    always: 'both',
    address: '/sign-up?plan=teams&billing=yearly&currency=USD&seats=5',
    shows: 'Email address',
  },
  {
    name: 'sign-in',
    route: '/sign-in/*',
    as: 'visitor',
    always: 'light',
    address: '/sign-in',
    shows: 'Email address',
  },
  {
    name: 'invite-elsewhere',
    route: '/invite/:organizationId/:invitationId',
    as: 'newcomer',
    always: 'light',
    address: ({ invitation }) => invitation,
    shows: /invitation/i,
  },
  {
    name: 'invite-member',
    route: '/invite/:organizationId/:invitationId',
    as: 'member',
    address: ({ invitation }) => invitation,
    shows: 'You are a member of',
  },
  {
    name: 'post-signup-refused',
    route: '/auth/post-signup',
    as: 'newcomer',
    always: 'light',
    address: '/auth/post-signup?plan=teams&seats=101',
    shows: 'Seats must be a whole number',
  },
  {
    name: 'post-signup-subscribed',
    route: '/auth/post-signup',
    as: 'subscriber',
    address: '/auth/post-signup?plan=pro',
    shows: 'You are already subscribed',
  },
  {
    name: 'vscode-initiate-error',
    route: '/auth/vscode-initiate',
    as: 'visitor',
    always: 'light',
    shows: 'Missing VSCode redirect URI',
  },
  {
    name: 'vscode-callback-error',
    route: '/auth/vscode-callback',
    as: 'visitor',
    shows: 'Missing required parameters',
  },
  {
    name: 'vscode-callback',
    route: '/auth/vscode-callback',
    as: 'newcomer',
    always: 'light',
    address: callback,
    shows: 'Connect editor',
  },
  { name: 'extension-error', route: '/extension-signin', as: 'visitor', shows: 'Authentication Error' },
  {
    name: 'extension-visitor',
    route: '/extension-signin',
    as: 'visitor',
    address: extensionSignin,
    shows: 'Sign in to connect',
  },
  {
    name: 'extension',
    route: '/extension-signin',
    as: 'newcomer',
    always: 'both',
    address: extensionSignin,
    shows: 'Connect editor',
  },

  { name: 'dashboard-new', route: '/dashboard', as: 'newcomer', shows: 'Available Credits' },
  { name: 'dashboard', route: '/dashboard', as: 'subscriber', always: 'both', shows: 'Available Credits' },
  {
    name: 'dashboard-notifications',
    route: '/dashboard',
    as: 'subscriber',
    shows: 'Available Credits',
    open: press(/^Notifications/),
  },
  {
    name: 'dashboard-sandbox',
    route: '/dashboard',
    as: 'newcomer',
    shows: 'Available Credits',
    open: press('Sandbox'),
  },
  {
    name: 'dashboard-sidebar',
    route: '/dashboard',
    as: 'subscriber',
    shows: 'Available Credits',
    open: press('Toggle sidebar'),
    only: 'narrow',
  },
  {
    name: 'dashboard-rail',
    route: '/dashboard',
    as: 'subscriber',
    shows: 'Available Credits',
    open: (page) => page.keyboard.press('Control+b'),
    only: 'wide',
  },
  {
    name: 'dashboard-past-due',
    route: '/dashboard',
    as: 'debtor',
    always: 'both',
    shows: 'Available Credits',
  },
  { name: 'dashboard-admin', route: '/dashboard', as: 'admin', shows: 'Available Credits' },
  { name: 'dashboard-member', route: '/dashboard', as: 'member', shows: 'Available Credits' },
  { name: 'profile', route: '/profile', as: 'newcomer', always: 'light', shows: 'Profile details' },

  { name: 'billing-new', route: '/billing', as: 'newcomer', shows: 'Billing & Payments' },
  { name: 'billing', route: '/billing', as: 'subscriber', shows: 'This Month' },
  {
    name: 'billing-credits',
    route: '/billing',
    as: 'subscriber',
    address: '/billing?tab=credits',
    shows: 'Usage Summary',
  },
  {
    name: 'billing-invoices',
    route: '/billing',
    as: 'subscriber',
    always: 'light',
    address: '/billing?tab=invoices',
    shows: 'Invoices and receipts',
  },
  {
    name: 'billing-usage',
    route: '/billing',
    as: 'subscriber',
    always: 'both',
    address: '/billing?tab=usage',
    shows: 'No model',
  },
  {
    name: 'billing-usage-none',
    route: '/billing',
    as: 'newcomer',
    address: '/billing?tab=usage',
    shows: 'Nothing in the last 30 days',
  },
  {
    name: 'billing-usage-people',
    route: '/billing',
    as: 'admin',
    address: '/billing?tab=usage&by=person',
    shows: 'Usage breakdown',
  },
  {
    name: 'billing-usage-member',
    route: '/billing',
    as: 'member',
    address: '/billing?tab=usage',
    shows: 'small-2026-08',
  },
  {
    name: 'billing-transactions',
    route: '/billing',
    as: 'subscriber',
    address: '/billing?tab=invoices&view=transactions',
    shows: 'Balance before these changes',
  },
  { name: 'billing-past-due', route: '/billing', as: 'debtor', shows: 'This Month' },
  {
    name: 'billing-organization',
    route: '/billing',
    as: 'admin',
    address: '/billing?tab=organization',
    shows: 'Teams plan',
  },
  {
    name: 'billing-member',
    route: '/billing',
    as: 'member',
    address: '/billing?tab=invoices',
    shows: 'Admin Access Required',
  },

  { name: 'teams-start', route: '/teams/start', as: 'newcomer', shows: 'Continue to payment' },
  {
    name: 'teams-start-pro',
    route: '/teams/start',
    as: 'subscriber',
    always: 'light',
    shows: 'End my Pro plan when Teams is paid',
  },
  { name: 'organizations-none', route: '/organizations', as: 'newcomer', shows: 'No organization selected' },
  { name: 'organizations', route: '/organizations', as: 'admin', shows: 'General' },
  {
    name: 'organizations-billing',
    route: '/organizations',
    as: 'admin',
    address: '/organizations?tab=billing',
    shows: 'Teams plan',
  },
  {
    name: 'organizations-seats',
    route: '/organizations',
    as: 'admin',
    always: 'both',
    address: '/organizations?tab=seats',
    shows: 'Active',
  },
  {
    name: 'organizations-assign',
    route: '/organizations',
    as: 'admin',
    address: '/organizations?tab=seats',
    shows: 'Active',
    open: press(/^Assign seat/i),
  },
  {
    name: 'organizations-buy-seats',
    route: '/organizations',
    as: 'admin',
    address: '/organizations?tab=seats',
    shows: 'Active',
    open: press('Buy Additional Seats'),
  },
  {
    name: 'organizations-member',
    route: '/organizations',
    as: 'member',
    address: '/organizations?tab=seats',
    shows: 'Admin Access Required',
  },

  {
    name: 'payment-plan',
    route: '/payment/success',
    as: 'subscriber',
    always: 'both',
    address: ({ planPaid }) => planPaid,
    shows: 'Your trial has started',
  },
  {
    name: 'payment-teams',
    route: '/payment/success',
    as: 'admin',
    address: ({ teamsPaid }) => teamsPaid,
    shows: 'Payment Successful!',
  },
  { name: 'payment-unknown', route: '/payment/success', as: 'newcomer', shows: 'Invalid payment session' },
  {
    name: 'payment-credits',
    route: '/billing/success',
    as: 'subscriber',
    address: ({ creditsPaid }) => creditsPaid,
    shows: 'Payment Successful!',
  },
  {
    name: 'payment-pending',
    route: '/billing/success',
    as: 'subscriber',
    always: 'light',
    address: ({ creditsPending }) => creditsPending,
    shows: 'Payment pending',
  },
  {
    name: 'payment-cancelled',
    route: '/payment/cancelled',
    as: 'newcomer',
    always: 'light',
    shows: 'Payment Cancelled',
  },

  {
    name: 'support-work',
    route: '/support',
    as: 'support',
    always: 'both',
    shows: 'Waiting for a second person',
  },
  {
    name: 'support-work-failed',
    route: '/support',
    as: 'support',
    address: '/support?state=failed',
    shows: 'in_1WithoutCustomer',
    open: (page) => page.getByRole('checkbox').first().check(),
  },
  { name: 'support-search', route: '/support/search', as: 'support', shows: 'Supported searches' },
  {
    name: 'support-search-hits',
    route: '/support/search',
    as: 'support',
    always: 'light',
    address: ({ searches }) => `/support/search?q=${searches.email}`,
    shows: '2 matches',
  },
  {
    name: 'support-search-stripe',
    route: '/support/search',
    as: 'support',
    address: ({ searches }) => `/support/search?q=${searches.session}`,
    shows: 'Timeline',
  },
  {
    name: 'support-search-nothing',
    route: '/support/search',
    as: 'support',
    address: '/support/search?q=ch_3Unknown',
    shows: 'No results for',
  },
  {
    name: 'support-trace',
    route: '/support/trace',
    as: 'support',
    address: ({ supportCase }) => supportCase,
    shows: 'Timeline',
    open: (page) =>
      page.getByRole('region', { name: 'Timeline' }).getByRole('button', { expanded: false }).first().click(),
  },
  {
    name: 'support-customer',
    route: '/support/trace',
    as: 'support',
    address: ({ supportCase }) => `${supportCase}&view=customer`,
    shows: 'Invoices and receipts',
  },
  {
    name: 'support-hold',
    route: '/support/trace',
    as: 'support',
    address: ({ holdCase }) => holdCase,
    shows: 'Release credits',
  },
  {
    name: 'support-hold-settled',
    route: '/support/trace',
    as: 'support',
    address: ({ settledCase }) => settledCase,
    shows: 'Settled: ',
    open: (page) =>
      page
        .getByRole('button', { name: /^Settled: / })
        .first()
        .click(),
  },
  {
    name: 'support-attention',
    route: '/support/trace',
    as: 'support',
    always: 'both',
    address: ({ attentionCase }) => attentionCase,
    shows: 'Goodwill',
  },
  {
    name: 'support-act',
    route: '/support/trace',
    as: 'support',
    address: ({ supportCase }) => supportCase,
    shows: 'Timeline',
    open: (page) =>
      page
        .getByRole('button', { name: /by support/ })
        .first()
        .click(),
  },
  {
    name: 'support-dialog',
    route: '/support/trace',
    as: 'support',
    always: 'light',
    address: ({ supportCase }) => supportCase,
    shows: 'Timeline',
    open: async (page) => {
      await page.getByRole('button', { name: 'Resync', exact: true }).click()
      await page.getByRole('dialog').getByText('would change').waitFor()
    },
  },
  {
    name: 'support-adjust',
    route: '/support/trace',
    as: 'support',
    address: ({ supportCase }) => supportCase,
    shows: 'Timeline',
    open: async (page) => {
      await page.getByRole('button', { name: 'Adjust credits' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Credits').fill('6000')
      await dialog.getByLabel('Note for the customer').fill('For the outage of Friday')
      await dialog.getByRole('button', { name: 'Preview' }).click()
      await dialog.getByText('+6,000 credits').waitFor()
    },
  },
  {
    name: 'support-erase',
    route: '/support/trace',
    as: 'support',
    address: ({ erasureCase }) => erasureCase,
    shows: 'Timeline',
    open: async (page) => {
      await page.getByRole('button', { name: 'Erase person' }).click()
      await page.getByRole('dialog').getByText('Left to do').waitFor()
    },
  },
  {
    name: 'support-erase-refused',
    route: '/support/trace',
    as: 'support',
    address: ({ supportCase }) => supportCase,
    shows: 'Timeline',
    open: async (page) => {
      await page.getByRole('button', { name: 'Erase person' }).click()
      await page.getByRole('dialog').getByText('It would fail').waitFor()
    },
  },
  {
    name: 'support-erase-approval',
    route: '/support',
    as: 'support',
    shows: 'Waiting for a second person',
    open: async (page) => {
      const waiting = page.getByRole('listitem').filter({ hasText: 'Erase person' }).first()
      await waiting.getByRole('button', { name: 'Approve' }).click()
      await page.getByRole('dialog').getByText('Left to do').waitFor()
      await page.getByLabel('Email address of the person').waitFor()
    },
  },
  {
    name: 'support-erase-refusal',
    route: '/support',
    as: 'support',
    shows: 'Waiting for a second person',
    open: async (page) => {
      const waiting = page.getByRole('listitem').filter({ hasText: 'Erase person' }).first()
      await waiting.getByRole('button', { name: 'Refuse' }).click()
      await page.getByRole('dialog').getByLabel('Reason').waitFor()
    },
  },
  {
    name: 'support-reconciliation',
    route: '/support/reconciliation',
    as: 'support',
    always: 'both',
    shows: 'with no support act recorded',
  },
  {
    name: 'support-reconciliation-kind',
    route: '/support/reconciliation',
    as: 'support',
    address: '/support/reconciliation?kind=adjustment_unexplained',
    shows: 'with no support act recorded',
  },
  {
    name: 'support-statement',
    route: '/support/statement',
    as: 'support',
    always: 'light',
    shows: 'Purchased ±',
  },
  {
    name: 'support-audit',
    route: '/support/audit',
    as: 'support',
    shows: /No acts yet|Done|Asked for|No access/,
  },
  {
    name: 'support-audit-batch',
    route: '/support/audit',
    as: 'support',
    address: ({ batch }) => `/support/audit?batch_id=${batch}`,
    shows: /3 items: /,
  },
  {
    name: 'support-audit-grouped',
    route: '/support/audit',
    as: 'support',
    always: 'light',
    // What support looked at since fills the first page of the whole log.
    address: ({ colleague }) => `/support/audit?actor=${colleague}`,
    shows: /^3 items · /,
    open: (page) =>
      page
        .getByRole('button', { name: /3 items/ })
        .first()
        .click(),
  },
  {
    name: 'not-found',
    route: '*',
    as: 'visitor',
    always: 'light',
    address: '/nowhere',
    shows: 'Oops! Page not found',
  },
]

export function addressOf({ address, route }: Screen, cast: Cast): string {
  return typeof address === 'function' ? address(cast) : (address ?? route)
}

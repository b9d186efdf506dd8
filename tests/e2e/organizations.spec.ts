import type { Page } from '@playwright/test'
import { expectAccessible } from './support/accessibility.ts'
import { chooseOrganization, isPhone } from './support/account-switcher.ts'
import { cards, expectPacks, payByCard, payBySavedCard } from './support/checkout-page.ts'
import { createOrganization, joinAsMember } from './support/organizations.ts'
import { signUp } from './support/people.ts'
import { clearFaults, openSandboxClerk, turnStripeKnob } from './support/product.ts'
import { spendAsEditor } from './support/spend-as-editor.ts'
import { expect, long, longAndAlone, longAndOnPhones, test } from './support/test.ts'

const region = (page: Page, name: string) => page.getByRole('region', { name })
const tab = (page: Page, name: RegExp | string) => page.getByRole('tab', { name })

test('an admin invites until the seats are full, buys more on Stripe’s page and finds them', async ({
  page,
}) => {
  const { email } = await subscribeTeam(page, 3)
  await openSeats(page)
  await tab(page, 'Seat Management').press('ArrowLeft')
  await expect(tab(page, 'Billing')).toBeFocused()
  await expect(region(page, 'Teams plan')).toBeVisible()
  await page.keyboard.press('End')
  await expect(region(page, 'Seat usage')).toContainText('1 of 3 used')
  await expect(person(page, email)).toContainText('Active')
  const guest = email.replace('ada.', 'guest.whose.address.is.wider.than.a.phone.')
  await invite(page, guest)
  await expect(page.getByText(`Invitation sent to ${guest}`)).toBeVisible()
  await expect(region(page, 'Seat usage')).toContainText('2 of 3 used')
  await expect(person(page, guest)).toContainText(/Expires on .*Pending/)

  await invite(page, guest)
  await expect(page.getByRole('alert').getByText('This email has already been invited')).toBeVisible()
  await page.getByRole('button', { name: `Revoke the invitation to ${guest}` }).click()
  await expect(page.getByText(`Invitation to ${guest} has been revoked`)).toBeVisible()
  await expect(region(page, 'Seat usage')).toContainText('1 of 3 used')
  await expect(person(page, guest)).toBeHidden()
  await page.getByRole('button', { name: 'Show ended seats (1)' }).click()
  await expect(person(page, guest)).toContainText('Revoked')

  const stale = await page.context().newPage()
  await stale.goto('/organizations?tab=seats')
  await expect(region(stale, 'Seat usage')).toContainText('1 of 3 used')
  for (const name of ['bob', 'eve']) {
    await invite(page, email.replace('ada.', `${name}.`))
    await expect(page.getByText(`Invitation sent to ${name}`)).toBeVisible()
  }
  await invite(stale, email.replace('ada.', 'max.'))
  await expect(stale.getByRole('region', { name: /Notifications/ })).toContainText(
    'Cannot Send InvitationNo available seats. Upgrade your subscription to add more members.',
  )
  await stale.close()
  await expect(page.getByText('All Seats Used')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Send Invite' })).toBeHidden()
  await expect(region(page, 'Invite by email').getByText('Cannot Send Invitation')).toBeVisible()

  await page.getByRole('button', { name: 'Assign Seat' }).click()
  const assign = page.getByRole('dialog', { name: 'Assign Seat' })
  await assign.getByRole('button', { name: 'Assign Seat' }).click()
  await expect(assign.getByText('Please enter a valid email address')).toBeVisible()
  await assign.getByLabel('Email of the person').fill(guest)
  await assign.getByRole('button', { name: 'Assign Seat' }).click()
  const buy = page.getByRole('dialog', { name: 'Buy Additional Seats' })
  await expect(buy.getByText('All Seats Used')).toBeVisible()
  const additional = buy.getByRole('textbox', { name: 'Additional seats' })
  await additional.fill('98')
  await expect(buy.getByText('Seats must be a whole number from 1 to 97')).toBeVisible()
  await expect(buy.getByRole('button', { name: 'Continue' })).toBeDisabled()
  await additional.fill('2')
  await expect(buy.getByText('€60.00 more for each period, 5 seats in total')).toBeVisible()
  await buy.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(/\/p\/session\//)
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.waitForURL('**/organizations?tab=seats&seats=5')
  await expect(page.getByText('The organization has 5 seats now')).toBeVisible()
  await expect(region(page, 'Seat usage')).toContainText('3 of 5 used')

  await page.getByRole('button', { name: 'Assign Seat' }).click()
  await assign.getByLabel('Email of the person').fill(guest)
  await assign.getByText('Admin', { exact: true }).click()
  await assign.getByRole('button', { name: 'Assign Seat' }).click()
  await expect(page.getByText('Seat assigned', { exact: true })).toBeVisible()
  await expect(person(page, guest)).toContainText('Admin')
  await expect(page).toHaveURL(/\/organizations\?tab=seats$/)

  await tab(page, 'Billing').click()
  await expect(region(page, 'Teams plan')).toContainText(
    /^Teams plan2,499 credits this month, then 2,500 credits for the pool every month/,
  )
  await page.goto('/billing?tab=invoices')
  const documents = region(page, 'Invoices and receipts').getByRole('listitem')
  await expect(documents.first()).toContainText(/^2 more seats until \w+ \d+, \d+/)
  await expect(documents.last()).toContainText(/^Teams, 3 seats, until \w+ \d+, \d+/)
})

test('a member is assigned a seat instead of being invited', long, async ({ page, browser }) => {
  const { organizationId, name } = await subscribeTeam(page, 3)
  const memberPage = await browser.newPage()
  const { email: member } = await joinAsMember(memberPage, organizationId)
  await choose(memberPage, name)
  await openSeats(page)
  await invite(page, member)
  await expect(page.getByText(`${member} is already a member of the organization.`)).toBeVisible()
  await page.getByRole('button', { name: 'Assign a seat' }).click()
  await expect(page.getByText('Seat Assigned!')).toBeVisible()
  const seat = person(page, member)
  await expect(seat).toContainText('Active')
  await seat.getByRole('button', { name: /^Revoke the seat/ }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke seat' }).click()
  await expect(page.getByText('Seat revoked')).toBeVisible()
  await expect(seat).toContainText(/Revoked.*Member/)
  await seat.getByRole('button', { name: 'Assign' }).click()
  await expect(seat).toContainText('Active')

  await expect(tab(memberPage, /Billing.*Admin Only/)).toBeDisabled()
  await expect(tab(memberPage, /Seat Management.*Admin Only/)).toBeDisabled()
  await memberPage.goto('/organizations?tab=billing')
  await expect(memberPage.getByRole('heading', { name: 'Admin Access Required' })).toBeVisible()
  await memberPage.close()
})

test(
  'a guest of the organization’s own settings has a seat; without a free seat they are told so, and the admin assigns one',
  longAndOnPhones,
  async ({ page, browser }) => {
    const { email, organizationId, name } = await subscribeTeam(page, 2)
    const guest = await inviteInSettings(page, email.replace('ada.', 'guest.'))
    await openSeats(page)
    await expect(person(page, guest)).toContainText(/Pending/)
    await expect(region(page, 'Seat usage')).toContainText('2 of 2 used')

    // A person at Clerk's dashboard lets one more in than there are seats.
    const { organizations } = openSandboxClerk()
    await organizations.updateOrganization(organizationId, { maxAllowedMemberships: 9 })
    const context = await browser.newContext()
    const memberPage = await context.newPage()
    const { email: member } = await joinAsMember(memberPage, organizationId)
    await choose(memberPage, name)
    await expect(region(memberPage, 'Notices')).toContainText(/You have no seat in Harbour .* yet/)
    await memberPage.goto('/dashboard')
    await expect(region(memberPage, 'Notices')).toContainText(
      /You have no seat in Harbour .* yet.*Ask an administrator/,
    )
    await expect(region(memberPage, 'Seats')).toContainText(
      /You have no seat yet. You have used 0 credits since/,
    )

    await page.reload()
    await expect(person(page, member)).toContainText('No seat yet')
    await expectAccessible(page)
    await page.getByRole('button', { name: `Assign seat to ${member}` }).click()
    const buy = page.getByRole('dialog', { name: 'Buy Additional Seats' })
    await expect(buy.getByText('All Seats Used')).toBeVisible()
    await buy.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: `Revoke the invitation to ${guest}` }).click()
    await expect(page.getByText(`Invitation to ${guest} has been revoked`)).toBeVisible()
    await page.getByRole('button', { name: `Assign seat to ${member}` }).click()
    await expect(person(page, member)).toContainText('Active')

    await memberPage.reload()
    await expect(region(memberPage, 'Seats')).toContainText('You have a seat. You have used 0 credits since')
    await expect(memberPage.getByText(/^You have no seat in/)).toBeHidden()
    await spendAsEditor(memberPage, { credits: 30, payer: organizationId })
    await memberPage.reload()
    await expect(region(memberPage, 'Seats')).toContainText('You have used 30 credits since')
    await page.reload()
    const usage = isPhone(page)
      ? person(page, member).getByText(/ 30 used$/)
      : person(page, member).getByRole('cell', { name: '30', exact: true })
    await expect(usage).toBeVisible()
    await context.close()
  },
)

test(
  'billing is set up, the pool is topped up, and what Stripe does not open is said',
  longAndAlone,
  async ({ page }) => {
    await createTeam(page)
    const seats = page.getByLabel('Number of seats')
    await expect(seats).toHaveValue('5')
    await expect(page.getByText('Monthly total: €150.00')).toBeVisible()
    await seats.fill('101')
    await expect(page.getByText('Seats must be a whole number from 1 to 100')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Subscribe' })).toBeDisabled()
    await seats.fill('many')
    await seats.blur()
    await expect(seats).toHaveValue('1')
    await expectAccessible(page)
    await turnStripeKnob('faults', { status: 500, count: 100, path_prefix: '/v1/checkout' })
    const ordered = page.waitForRequest('**/api/organizations/create-subscription')
    await page.getByRole('button', { name: 'Subscribe' }).click()
    const terms = { plan_type: 'teams', billing_frequency: 'monthly', seats_total: 1 }
    expect((await ordered).postDataJSON()).toMatchObject(terms)
    await expect(page.getByText('Subscription creation failed: Failed to create subscription')).toBeVisible()
    await clearFaults()
    await pay(page, 3)

    const pool = region(page, 'Credit pool')
    await expect(pool).toContainText('1,500remaining')
    await expectPacks(page)
    await expect(region(page, 'Teams plan')).toContainText(/Active.*Seats3€30.00 each.*Monthly total€90.00/)
    await expect(region(page, 'Teams plan')).toContainText('Visa •••• 4242')
    await pool.getByLabel('Number of credits').fill('7')
    await pool.getByLabel('Number of credits').press('Enter')
    await expect(page.getByText('Please enter a valid number of credits.')).toBeVisible()
    await turnStripeKnob('faults', { status: 500, count: 100 })
    await page.getByRole('button', { name: 'Manage billing' }).click()
    await expect(page.getByText('Failed to open billing portal')).toBeVisible()
    await pool.getByRole('button', { name: /^500 credits/ }).click()
    await pool.getByRole('button', { name: /^Add Credits/ }).click()
    await expect(page.getByText('Failed to create top-up session')).toBeVisible()
    await openSeats(page)
    await page.getByRole('button', { name: 'Buy Additional Seats' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Continue' }).click()
    await expect(page.getByText('Failed to create checkout session')).toBeVisible()
    await clearFaults()
    await page.keyboard.press('Escape')

    await tab(page, 'Billing').click()
    // The amount that could not be ordered is still there.
    await expect(pool.getByLabel('Number of credits')).toHaveValue('500')
    await pool.getByRole('button', { name: 'Add Credits · €7.00' }).click()
    await payBySavedCard(page, 'Visa •••• 4242')
    await expect(page.getByText('+500 credits')).toBeVisible()
    await page.goto('/organizations?tab=billing')
    await expect(pool).toContainText('2,000remaining')
  },
)

test(
  'a scheduled change of seats is shown, kept, and announced again to be cancelled',
  longAndAlone,
  async ({ page }) => {
    await subscribeTeam(page, 5)
    const change = page.getByRole('heading', { name: /^From \w+ \d+, \d+: 3 seats instead of 5$/ })
    await planSeats(page, 3)
    await expectAfterReloads(page, change)
    await expectAccessible(page)
    await turnStripeKnob('faults', { status: 500, count: 100, path_prefix: '/v1/subscription' })
    await page.getByRole('button', { name: 'Keep 5 seats' }).click()
    await expect(page.getByText('Failed to keep the plan')).toBeVisible()
    await clearFaults()
    await page.getByRole('button', { name: 'Keep 5 seats' }).click()
    await expect(page.getByText('The plan keeps 5 seats.')).toBeVisible()
    await expect(change).toBeHidden()

    await planSeats(page, 3)
    await expectAfterReloads(page, change)
    await page.getByRole('button', { name: 'Cancel subscription…' }).click()
    const dialog = page.getByRole('alertdialog', { name: 'Cancel the subscription?' })
    await dialog.getByRole('button', { name: 'Keep subscription' }).click()
    await expect(change).toBeVisible()
    await page.getByRole('button', { name: 'Cancel subscription…' }).click()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Cancel subscription' }).click()
    await expect(change).toBeHidden()
    await expectAfterReloads(page, region(page, 'Notices').getByText(/^Teams ends on \w+ \d+, \d+$/))
  },
)

test('the page says how to get an organization when there is none', longAndOnPhones, async ({ page }) => {
  const { email } = await signUp(page)
  const name = `Pier ${email.split('.')[1]?.split('@')[0]}`
  const openSidebar = () => isPhone(page) && page.getByRole('button', { name: 'Toggle sidebar' }).click()
  await openSidebar()
  await page.getByRole('navigation', { name: 'Account' }).getByRole('link', { name: 'Organizations' }).click()
  await expect(page.getByRole('heading', { name: 'No organization selected' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Start with Teams' })).toHaveAttribute('href', '/teams/start')

  // One of the switcher has no plan yet: it has no seats for people who could be invited.
  await openSidebar()
  await page.getByRole('button', { name: 'Open organization switcher' }).click()
  await page.getByRole('button', { name: 'Create organization' }).click()
  await page.getByLabel('Name').fill(name)
  await page.getByRole('button', { name: 'Create organization' }).last().click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
  await expect(page.getByRole('dialog')).toBeHidden()
  await openSeats(page)
  await expect(page.getByRole('link', { name: 'Set up billing' })).toBeVisible()
})

type Team = { email: string; organizationId: string; name: string }

/** A new user creates an organization, chooses it in the switcher and subscribes it on its page. */
async function subscribeTeam(page: Page, seats: number): Promise<Team> {
  const team = await createTeam(page)
  await pay(page, seats)
  return team
}

/** Leaves the page at the form that sets up its billing. */
async function createTeam(page: Page): Promise<Team> {
  const { email } = await signUp(page)
  const { id, name } = await createOrganization({ email })
  await choose(page, name)
  await openSeats(page)
  await page.getByRole('link', { name: 'Set up billing' }).click()
  return { email, organizationId: id, name }
}

async function pay(page: Page, seats: number): Promise<void> {
  await page.getByLabel('Number of seats').fill(String(seats))
  await page.getByRole('button', { name: 'Subscribe' }).click()
  await payByCard(page, cards.pays, 'Subscribe')
  await expect(page.getByRole('heading', { name: 'Payment Successful!' })).toBeVisible()
  await page.goto('/organizations?tab=billing')
  await expect(page.getByRole('heading', { name: 'Teams plan' })).toBeVisible()
}

/** In Clerk's own dialog, the first tab of the page. */
async function inviteInSettings(page: Page, email: string): Promise<string> {
  await tab(page, 'Organization Settings').click()
  // Where there is little room Clerk's navigation is a menu, named after its first page.
  const members = page.getByRole('button', { name: 'Members' })
  const menu = page.getByRole('button', { name: 'Organization', exact: true })
  await members.or(menu).first().waitFor()
  if (await menu.isVisible()) await menu.click()
  await members.click()
  await page.getByRole('button', { name: 'Invite' }).click()
  const addresses = page.getByPlaceholder('example@email.com, example2@email.com')
  await addresses.fill(email)
  await addresses.press('Enter')
  await page.getByRole('button', { name: 'Send invitations' }).click()
  await expect(page.getByText('Invitations successfully sent')).toBeVisible()
  return email
}

async function choose(page: Page, organization: string): Promise<void> {
  await chooseOrganization(page, '/organizations', organization)
  await expect(page.getByRole('heading', { level: 1, name: organization })).toBeVisible()
}

async function openSeats(page: Page): Promise<void> {
  await tab(page, 'Seat Management').click()
}

/** Their row in the table of people. */
function person(page: Page, email: string) {
  return region(page, 'People').getByRole('row').filter({ hasText: email })
}

async function invite(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email address').fill(email)
  await page.getByRole('button', { name: 'Send Invite' }).click()
}

/** On Stripe's page, where fewer seats wait for the next period. */
async function planSeats(page: Page, seats: number): Promise<void> {
  await page.goto('/organizations?tab=billing')
  await page.getByRole('button', { name: 'Manage billing' }).click()
  await page.getByRole('link', { name: 'Update plan' }).click()
  await page.getByLabel('Quantity').fill(String(seats))
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Confirm' }).click()
  await page.waitForURL('**/overview?notice=planned')
}

async function expectAfterReloads(page: Page, shown: ReturnType<Page['getByText']>): Promise<void> {
  await expect(async () => {
    await page.goto('/organizations')
    await expect(shown).toBeVisible({ timeout: 3000 })
  }).toPass()
}

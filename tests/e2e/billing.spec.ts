import { readFile } from 'node:fs/promises'
import type { Page } from '@playwright/test'
import { buildGrant, postTransfer } from '../support/factories/transfers.ts'
import { chooseOrganization } from './support/account-switcher.ts'
import { cards, expectPacks, payByCard, startPurchase } from './support/checkout-page.ts'
import { createOrganization, joinAsMember } from './support/organizations.ts'
import { signUp } from './support/people.ts'
import {
  clearFaults,
  findUserId,
  planToUse,
  reportUsages,
  turnStripeKnob,
  withDatabase,
} from './support/product.ts'
import { alone, alsoOnPhones, expect, longAndOnPhones, test } from './support/test.ts'

const region = (page: Page, name: string) => page.getByRole('region', { name })
const tab = (page: Page, name: RegExp | string) => page.getByRole('tab', { name })
const rows = (page: Page) => region(page, 'Transaction History').locator('tbody').getByRole('row')

test(
  'credits that are bought are in the balance, the chart, the history, the export and the receipts',
  alsoOnPhones,
  async ({ page }) => {
    const { email } = await signUp(page)
    await page.goto('/billing')
    await expect(page.getByRole('heading', { name: 'Billing & Payments' })).toBeVisible()
    await expect(tab(page, 'Overview')).toHaveAttribute('aria-selected', 'true')
    await expect(tab(page, /Organization.*\(No Org\)/)).toBeDisabled()
    await expect(page.getByRole('button', { name: 'Download Invoice' })).toBeDisabled()
    // Without a plan, too, for the card, the address and the tax id.
    await region(page, 'Next Payment').getByRole('button', { name: 'Manage billing' }).click()
    await page.waitForURL(/\/p\/session\//)
    await page.getByRole('link', { name: /Return to/ }).click()
    await page.waitForURL('**/billing')
    await page.getByRole('button', { name: 'Usage by day' }).click()
    await expect(region(page, 'Usage by day')).toContainText('Nothing in the last 30 days')
    await page.goBack()

    await page.getByRole('button', { name: 'Buy Credits' }).click()
    await expect(page).toHaveURL(/\?tab=credits$/)
    await expect(region(page, 'Usage Summary')).toContainText('Rate: 1 credit = €0.014')
    await expectPacks(page)
    await startPurchase(page, 1000)
    await payByCard(page, cards.pays)
    await expect(page.getByText('+1,000').first()).toBeVisible()

    await page.goto('/billing')
    await expect(region(page, 'Credit Balance')).toContainText('1,000 credits1,000 purchased')
    await expect(region(page, 'This Month')).toContainText('+1,000 added')
    await expect(region(page, 'Next Payment')).toContainText('No payment is scheduled')
    await expect(page.getByRole('link', { name: 'Download Invoice' })).toHaveAttribute(
      'href',
      /\/i\/in_\w+\/pdf$/,
    )

    await page.getByRole('button', { name: 'Usage by day' }).click()
    const usage = region(page, 'Usage by day')
    await usage.getByText('Show as a table').click()
    await expect(usage.getByRole('row').last()).toContainText('1,000')
    const breakdown = region(page, 'Usage breakdown')
    await expect(breakdown).toContainText('No usage in this range')
    await page.getByRole('radio', { name: '7 days' }).click()
    await expect(page).toHaveURL(/tab=usage&range=7&by=model$/)
    await breakdown.getByRole('button', { name: 'Show 90 days' }).click()
    await expect(usage.getByRole('figure')).toContainText('In the last 90 days 0 credits were used and 1,000')
    await expect(breakdown.getByRole('button', { name: 'Show 90 days' })).toHaveCount(0)

    await tab(page, 'Invoices').click()
    await page.getByRole('radio', { name: 'Transactions' }).click()
    const history = region(page, 'Transaction History')
    await expect(history.getByRole('status')).toHaveText('Your balance is now 1,000 credits')
    await expect(rows(page)).toHaveCount(1)
    await expect(rows(page)).toContainText([/1,000 credits boughtPaid €14\.00 Invoice \w+-0001/])
    await expect(rows(page)).toContainText(['+1,000'])
    await expect(rows(page).getByRole('link', { name: /^Invoice \w+-0001 for/ })).toHaveAttribute(
      'href',
      /\/i\/in_/,
    )
    await expect(history.locator('tfoot')).toContainText('Balance before these changes0')
    await expect(page.getByText('cs_test_')).toHaveCount(0)

    const search = page.getByRole('searchbox', { name: 'Search billing history' })
    await search.fill('no such thing')
    await expect(page.getByText('No transactions found')).toBeVisible()
    await expect(page).toHaveURL(/q=no\+such\+thing/)
    await page.getByRole('button', { name: 'Clear the search' }).click()
    await expect(search).toHaveValue('')
    await search.fill('1,000')
    await expect(rows(page)).toHaveCount(1)
    await expect(history.locator('tfoot')).toHaveCount(0)
    await page.getByRole('combobox', { name: 'Kind of transaction' }).selectOption('Usage')
    await expect(page.getByText('No transactions found')).toBeVisible()
    await page.getByRole('combobox', { name: 'Kind of transaction' }).selectOption('Purchases')
    await expect(rows(page)).toHaveCount(1)

    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    const file = await download
    expect(file.suggestedFilename()).toMatch(/^transactions-.+\.csv$/)
    expect((await readFile(await file.path(), 'utf8')).trimEnd().split('\r\n')).toEqual([
      '\uFEFF"date","what","cause","plan_change","purchased_change","plan_balance","purchased_balance","balance","reference_id"',
      expect.stringMatching(
        /^"[\d-]+T[\d:.]+Z","1000 credits bought","Paid EUR 14\.00 on [\d-]+","0","1000","0","1000","1000","cs_test_\w+"$/,
      ),
    ])

    await page.getByRole('combobox', { name: 'Kind of transaction' }).selectOption('All transactions')
    await search.fill('')
    await expect(page).toHaveURL(/view=transactions$/)
    await history.getByLabel('As of').fill('2026-01-31')
    await expect(history.getByRole('status').first()).toHaveText(
      /On Jan 31, 2026 at 11:59.PM your balance was 0 credits/,
    )
    await expect(history).toContainText('No credits by then')
    await expect(page).toHaveURL(/view=transactions&on=2026-01-31/)
    await history.getByRole('button', { name: 'Now' }).click()
    await expect(rows(page)).toHaveCount(1)

    await page.getByRole('radio', { name: 'Invoices' }).click()
    const documents = region(page, 'Invoices and receipts').getByRole('listitem')
    await expect(documents).toHaveCount(1)
    await expect(documents).toContainText(['1,000 credits'])
    await expect(documents).toContainText(['Paid'])
    await expect(
      region(page, 'Invoices and receipts').getByRole('button', { name: 'Billing details' }),
    ).toBeVisible()
    const invoice = page.waitForEvent('popup')
    await documents.getByRole('link', { name: /^Invoice \w+-0001$/ }).click()
    await expect((await invoice).getByText('€14.00').first()).toBeVisible()

    await planToUse(await findUserId(email))
    await page.goto('/billing')
    await expect(region(page, 'Credit Balance')).toContainText('925 available · 75 reserved')
    await page.goto('/billing?tab=invoices&view=transactions')
    const reserved = history.getByRole('list', { name: 'Reserved credits' }).getByRole('listitem')
    await expect(reserved).toHaveCount(1)
    await expect(reserved).toContainText(/75 credits reserved · expires (\w+ \d+ at )?\d+:\d\d/)
    await expect(reserved).toContainText('Refactoring · large · website')
    await expect(rows(page)).toHaveCount(2)
    await expect(rows(page).first()).toContainText(/Not charged: provider error/)
    await expect(rows(page).first()).toContainText('Chat about the checkout · Requested in an editor')
    await search.fill('provider error')
    await expect(rows(page)).toHaveCount(1)
    await expect(reserved).toHaveCount(0)
    await page.goto('/dashboard')
    await expect(region(page, 'Available Credits')).toContainText('925 available · 75 reserved')
    await expect(region(page, 'Recent activity')).toContainText('75 credits reserved')
    await expect(region(page, 'Recent activity')).toContainText('Not charged: provider error')

    await reportUsages(await findUserId(email), [
      { credits: 60, model: 'large', project: 'web' },
      { credits: 15, model: '<b>small</b>', project: 'api' },
      { credits: 0, model: 'large', failure: 'timeout' },
    ])
    await page.goto('/billing?tab=usage')
    await expect(breakdown.getByRole('row')).toHaveText([
      /^Model.*Credits/,
      /^large.*3.*2.*60/,
      /^<b>small<\/b>.*1.*15/,
      /^Total.*4.*2.*75/,
    ])
    const group = breakdown.getByRole('combobox', { name: 'Group by' })
    await expect(group.getByRole('option')).toHaveText(['Day', 'Model', 'Project', 'Editor'])
    await group.selectOption('Project')
    await expect(page).toHaveURL(/by=project$/)
    await expect(breakdown.getByRole('rowheader')).toContainText([
      'web',
      'api',
      'website',
      'No project',
      'Total',
    ])
    await page.getByRole('radio', { name: 'This month' }).click()
    await group.selectOption('Day')
    await expect(breakdown.getByRole('row')).toHaveCount(3)
    await expect(page.getByText('Each day starts at 00:00 UTC')).toBeVisible()
    const usageFile = page.waitForEvent('download')
    await breakdown.getByRole('button', { name: 'Export' }).click()
    expect((await usageFile).suggestedFilename()).toMatch(/^usage-by-day-.+\.csv$/)
    expect((await readFile(await (await usageFile).path(), 'utf8')).trimEnd().split('\r\n')).toEqual([
      '\uFEFF"day","requests","failed","credits"',
      expect.stringMatching(/^"[\d-]{10}","4","2","75"$/),
    ])
  },
)

test(
  'the page says what is missing while Stripe is unavailable, shows the rest and tries again',
  alone,
  async ({ page }) => {
    await signUp(page)
    await page.goto('/billing?tab=credits')
    await startPurchase(page, 71)
    await payByCard(page, cards.pays)
    await expect(page.getByText('+71').first()).toBeVisible()
    await turnStripeKnob('faults', { status: 500, count: 1000, path_prefix: '/v1' })
    await page.goto('/billing?tab=invoices')
    const documents = region(page, 'Invoices and receipts')
    await expect(documents.getByRole('alert')).toContainText('Failed to load invoices')
    await page.getByRole('radio', { name: 'Transactions' }).click()
    await expect(rows(page)).toContainText(['+71'])
    await page.getByRole('radio', { name: 'Invoices' }).click()
    // Shown again, they are asked for again, which fails once more.
    await expect(documents.getByRole('button', { name: 'Try again' })).toBeEnabled({ timeout: 30_000 })
    await clearFaults()
    await documents.getByRole('button', { name: 'Try again' }).click()
    await expect(documents.getByRole('listitem')).toContainText(['71 credits'])
    await tab(page, 'Overview').click()
    await expect(region(page, 'Credit Balance')).toContainText('Low balance')
    await expect(region(page, 'Credit Balance')).toContainText('Purchased credits never expire.')
  },
)

test(
  'an admin sees the organization’s billing, a member what is for members, and a link its payer',
  longAndOnPhones,
  async ({ page, browser }) => {
    const { email } = await signUp(page)
    await expect(region(page, 'Available Credits')).toBeVisible()
    const { id, name } = await createOrganization({ email })
    await chooseOrganization(page, '/billing', name)
    await expect(tab(page, 'Organization')).toHaveAttribute('aria-selected', 'true')
    await expect(page.getByRole('heading', { name: 'Set up Organization Billing' })).toBeVisible()
    await tab(page, 'Overview').click()
    await expect(region(page, 'Credit Balance')).toContainText('has no credits yet')
    await tab(page, 'Invoices').click()
    await expect(page.getByText('No invoices yet')).toBeVisible()
    const way = page.getByRole('tabpanel').getByRole('link', { name: 'Add credits' })
    await expect(way).toHaveAttribute('href', '/dashboard#add-credits')
    await page.getByRole('radio', { name: 'Transactions' }).click()
    await expect(page.getByText('No transactions yet')).toBeVisible()
    await expect(way).toBeVisible()
    await tab(page, 'Usage').click()
    await expect(region(page, 'Usage by day').getByRole('link', { name: 'Add credits' })).toBeVisible()
    await expect(region(page, 'Usage breakdown')).toHaveCount(0)

    const memberPage = await (await browser.newContext()).newPage()
    const member = await joinAsMember(memberPage, id)
    await chooseOrganization(memberPage, '/billing', name)
    await expect(tab(memberPage, 'Overview')).toHaveAttribute('aria-selected', 'true')
    await expect(tab(memberPage, /Organization.*\(Admin Only\)/)).toBeDisabled()
    await expect(region(memberPage, 'Credit Balance')).toContainText('0')
    await expect(region(memberPage, 'Next Payment')).toContainText('Only organization administrators')
    await expect(memberPage.getByRole('button', { name: 'Buy Credits' })).toBeHidden()
    for (const closed of ['invoices', 'organization']) {
      await memberPage.goto(`/billing?tab=${closed}`)
      await expect(memberPage.getByRole('heading', { name: 'Admin Access Required' })).toBeVisible()
      await expect(
        memberPage.getByText('Only organization administrators can view billing settings.'),
      ).toBeVisible()
    }
    await memberPage.goto('/billing?tab=usage')
    await expect(region(memberPage, 'Usage by day')).toContainText('Nothing in the last 30 days')
    await expect(memberPage.getByRole('link', { name: 'Add credits' })).toHaveCount(0)

    const pool = { owner_id: id, credits: 0, failure: 'provider_error' } as const
    await reportUsages(await findUserId(email), [pool, pool])
    await page.goto('/billing?tab=usage')
    await region(page, 'Usage breakdown').getByRole('combobox', { name: 'Group by' }).selectOption('Person')
    await expect(region(page, 'Usage breakdown').getByRole('rowheader')).toContainText([email, 'Total'])
    await memberPage.goto('/billing?tab=usage&by=person')
    await expect(region(memberPage, 'Usage by day')).toContainText(`Everyone in ${name}`)
    await expect(region(memberPage, 'Usage breakdown')).toHaveCount(0)
    await expect(region(memberPage, 'Your usage')).toHaveCount(0)
    await reportUsages(await findUserId(member.email), [{ ...pool, model: 'small' }])
    await memberPage.reload()
    const own = region(memberPage, 'Your usage')
    await expect(own.getByRole('row')).toHaveText([/^Model/, /^small.*1/, /^Total.*1/])
    await expect(own.getByRole('option')).toHaveText(['Day', 'Model', 'Project', 'Editor'])
    await memberPage.goto('/billing?tab=credits')
    await expect(region(memberPage, 'Buy Credits')).toContainText('Only organization administrators can buy')
    // As an editor links whose personal balance is used up, and one that uses the organization's.
    await memberPage.goto('/billing?tab=credits&payer=personal')
    await expect(region(memberPage, 'Buy Credits')).toContainText('Purchased credits never expire')
    await expect(memberPage).toHaveURL(/\/billing\?tab=credits$/)
    await memberPage.goto(`/organizations?tab=billing&payer=${id}`)
    await expect(memberPage.getByRole('heading', { level: 1, name })).toBeVisible()
    await memberPage.goto('/billing?tab=credits&payer=org_of_others')
    await expect(region(memberPage, 'Buy Credits')).toContainText('Only organization administrators can buy')
    await memberPage.context().close()
  },
)

test(
  'bars, tabs and filters are as large as they should be, and show what the keyboard does',
  alsoOnPhones,
  async ({ page }) => {
    const { email } = await signUp(page)
    const userId = await findUserId(email)
    const given = buildGrant(userId, 1, { account: 'purchased' })
    await withDatabase((db) => postTransfer(db, given))
    await reportUsages(userId, [{ credits: 1 }])
    await page.goto('/billing?tab=usage&range=7')
    const chart = region(page, 'Usage by day').locator('svg')
    const bar = chart.locator('.recharts-bar-rectangle path').first()
    expect((await bar.boundingBox())?.width).toBeLessThanOrEqual(40)

    await tab(page, 'Usage').focus()
    await page.keyboard.press('ArrowRight')
    const focused = tab(page, 'Invoices')
    await expect(focused).toBeFocused()
    // Within the tab, which stands whole in its row, and apart from the text.
    await expect(focused).toHaveCSS('outline-style', 'solid')
    await expect(focused).toHaveCSS('outline-offset', '-2px')
    await expect(focused).toHaveCSS('padding-left', '8px')
    const [own, row] = [await focused.boundingBox(), await focused.locator('..').boundingBox()]
    expect(own?.y).toBeGreaterThanOrEqual(row?.y ?? Number.NaN)

    await page.getByRole('radio', { name: 'Transactions' }).click()
    await page.getByLabel('Kind of transaction').focus()
    await page.keyboard.press('u')
    await expect(page).toHaveURL(/category=usage/)
    await expect(rows(page)).toHaveCount(1)
    await page.getByLabel('As of').fill('2026-01-01')
    await expect(rows(page)).toHaveCount(0)
  },
)

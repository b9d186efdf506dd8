import type { Page } from '@playwright/test'
import { cards, payByCard } from './support/checkout-page.ts'
import { fillSignUp } from './support/people.ts'
import { alsoOnPhones, expect, test } from './support/test.ts'

const region = (page: Page, name: string) => page.getByRole('region', { name })
const choice = (page: Page) => page.getByRole('group', { name: 'Currency' })
const foreign = /[€$]\d/

test(
  'a visitor who chose dollars is shown and charged dollars, then pounds by their choice, and by a plan nothing else',
  alsoOnPhones,
  async ({ page, context }) => {
    await page.goto('/pricing')
    await page.getByRole('radio', { name: 'USD' }).check()
    await expect(page.getByRole('article', { name: 'Teams' })).toContainText('Custom$30 per seat / mo')
    await page.getByText('How much does a credit cost?').click()
    await expect(page.getByText(/^500 credits cost \$7,/)).toBeVisible()
    await page.getByRole('link', { name: 'Start for free' }).click()
    await fillSignUp(page)
    await page.waitForURL('**/dashboard')

    const credits = region(page, 'Add Credits')
    const plan = region(page, 'Current Plan')
    await expect(credits).toContainText('500 credits for $7.00')
    await expect(plan).toContainText('Pro is free for 14 days, then $20.00 a month')
    await page.goto('/billing')
    await expect(region(page, 'Quick Actions')).toContainText('then $20.00 a month')
    await page.getByRole('tab', { name: 'Credits' }).click()
    await expect(region(page, 'Usage Summary')).toContainText('Rate: 1 credit = $0.014')
    await page.getByRole('button', { name: 'Add Credits · $21.00' }).click()
    await page.waitForURL(/\/c\/pay\//)
    await expect(page.getByText('$21.00').first()).toBeVisible()

    await page.goto('/dashboard')
    const later = await context.newPage()
    await later.goto('/dashboard')
    await expect(region(later, 'Add Credits')).toContainText('$7.00')
    await choice(page).getByText('GBP').click()
    await expect(credits).toContainText('500 credits for £7.00')
    await expect(plan).toContainText('then £20.00 a month')
    await plan.getByRole('link', { name: 'Upgrade to Pro' }).click()
    await page.waitForURL(/\/c\/pay\//)
    await expect(page.getByText('£20.00').first()).toBeVisible()
    await payByCard(page, cards.pays, 'Start trial')
    await expect(page.getByText('then £20.00 per month')).toBeVisible()

    await later.getByRole('button', { name: 'Add Credits · $21.00' }).click()
    await expect(later.getByText('Your plan is billed in GBP').first()).toBeVisible()
    await expect(region(later, 'Add Credits')).toContainText('£7.00')
    await later.close()

    await page.getByRole('link', { name: 'Go to Dashboard' }).first().click()
    await expect(credits).toContainText('£7.00')
    await expect(plan).toContainText('Billed yearly, Pro is £192.00 a year.')
    await expect(plan.getByRole('button', { name: 'Switch to yearly billing' })).toBeVisible()
    await expect(plan).toContainText('Teams is £30.00 a month for each seat')
    await expect(page.getByRole('main')).not.toContainText(foreign)
    await expect(choice(page)).toHaveCount(0)
    await page.goto('/billing?tab=credits')
    await expect(page.getByRole('button', { name: /£21\.00/ }).first()).toBeVisible()
    await expect(choice(page)).toHaveCount(0)
    await page.goto('/billing')
    const actions = region(page, 'Quick Actions')
    await expect(actions).toContainText('Billed yearly, Pro is £192.00 a year.')
    await expect(actions.getByRole('link', { name: 'Start with Teams' })).toBeVisible()
    await expect(page.getByRole('main')).not.toContainText(foreign)
    await page.goto('/pricing?currency=EUR')
    await expect(page.getByRole('article', { name: 'Pro' })).toContainText('£20')
    await expect(page.getByRole('main')).not.toContainText(foreign)
    await expect(choice(page)).toHaveCount(0)
    await page.goto('/auth/post-signup?plan=pro&currency=EUR')
    await expect(page.getByRole('heading', { name: 'You are already subscribed' })).toBeVisible()

    // The organization that is bought here has a currency of its own.
    await page.goto('/teams')
    await page.getByRole('link', { name: 'Start with Teams' }).first().click()
    const cost = page.getByLabel('What it costs')
    await expect(cost).toContainText('£150.00 a month')
    await choice(page).getByText('EUR').click()
    await expect(cost).toContainText('€150.00 a month')
  },
)

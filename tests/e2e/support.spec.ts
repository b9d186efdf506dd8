import { randomUUID } from 'node:crypto'
import type { Page } from '@playwright/test'
import {
  act,
  caseSummary,
  dialog,
  hireSupport,
  openConsole,
  previewAdjustment,
  sam,
  waitingFor,
} from './support/console.ts'
import { newCustomer } from './support/customers.ts'
import { signUp } from './support/people.ts'
import {
  findUserId,
  pauseWorkers,
  planToUse,
  plantAct,
  plantUndecidedFinding,
  resumeWorkers,
  turnClerkKnob,
} from './support/product.ts'
import { alone, alsoOnPhones, expect, long, test } from './support/test.ts'

test('the console is open only to support staff, and two of them see each other', async ({
  page: customer,
  browser,
  baseURL,
}) => {
  const { email } = await signUp(customer)
  const userId = await findUserId(email)
  await expect(customer.getByRole('region', { name: 'Available Credits' })).toBeVisible()
  await customer.goto('/support/audit')
  await expect(customer.getByRole('heading', { name: 'Oops! Page not found' })).toBeVisible()

  const first = await openConsole({ browser, baseURL }, sam)
  const second = await openConsole({ browser, baseURL }, await hireSupport({ browser, baseURL }))
  await first.goto(`/support/trace?owner=${userId}`)
  await expect(caseSummary(first)).toBeVisible()
  await second.goto(`/support/trace?owner=${userId}`)
  await expect(second.getByText('Sam Support is looking at this too')).toBeVisible()

  await second.goto('/support/audit?owner_id=user_unknown')
  await expect(second.getByText('No results for this filter')).toBeVisible()
  await second.getByRole('button', { name: 'Clear the filter' }).click()
  await expect(second.getByText('No results for this filter')).toBeHidden()
  await first.context().close()
  await second.context().close()
})

test(
  'support staff who signed in long ago prove with their password that it is them before they ask and agree',
  alsoOnPhones,
  async ({ request, browser, baseURL }) => {
    const { userId } = await newCustomer(request, baseURL)
    const staff = [await hireSupport({ browser, baseURL }), await hireSupport({ browser, baseURL })] as const
    const first = await openConsole({ browser, baseURL }, staff[0])
    const second = await openConsole({ browser, baseURL }, staff[1])
    for (const { email } of staff) await turnClerkKnob('tokens', { email, factor_age_min: 60 })
    await first.goto(`/support/trace?owner=${userId}`)
    await first.getByRole('button', { name: 'Adjust credits' }).click()
    await previewAdjustment(first, '6000', 'For the outage of Friday')
    await dialog(first).getByLabel('Reason').fill('Promised on the phone after the outage')
    const ask = dialog(first).getByRole('button', { name: 'Ask a colleague' })
    const verify = async (page: Page, password: string) => {
      await page.getByLabel('Password', { exact: true }).fill(password)
      await page.getByRole('button', { name: 'Continue' }).click()
    }
    await ask.click()
    await verify(first, 'not-the-password')
    await expect(first.getByText('Password is incorrect').last()).toBeVisible()
    await first.getByRole('button', { name: 'Close modal' }).click()
    await expect(dialog(first).first()).toContainText('Please confirm with your password that it is you.')
    await ask.click()
    await verify(first, staff[0].password)
    await expect(dialog(first).first()).toContainText('Waiting for approval')
    await first.keyboard.press('Escape')
    await first.goto('/support')
    const own = waitingFor(first, userId)
    await expect(own.getByRole('button', { name: 'Take back' })).toBeVisible()
    await expect(own.getByRole('button', { name: 'Approve' })).toHaveCount(0)

    await second.goto('/support')
    await waitingFor(second, userId).getByRole('button', { name: 'Approve' }).click()
    await verify(second, staff[1].password)
    await dialog(second).getByRole('button', { name: 'Done', exact: true }).click({ timeout: 60_000 })
    await expect(waitingFor(second, userId)).toHaveCount(0)
    await second.goto(`/support/audit?owner_id=${userId}`)
    await expect(second.getByRole('button', { name: /Promised on the phone/ }).first()).toBeVisible()
    await first.context().close()
    await second.context().close()
  },
)

test(
  'reserved credits that a customer cannot use are found by the hold, explained and released',
  alsoOnPhones,
  async ({ request, browser, baseURL }) => {
    const customer = await newCustomer(request, baseURL)
    await customer.buy(500)
    const hold = await planToUse(customer.userId)
    const support = await openConsole({ browser, baseURL }, sam)
    await support.goto(`/support/search?q=${hold}`)
    const timeline = support.getByRole('region', { name: 'Timeline' })
    const item = timeline.getByRole('button', { name: /75 credits reserved/ })
    await expect(item).toHaveAttribute('aria-expanded', 'true')
    const utc = (time: string) => new RegExp(`^\\w+ \\d+, \\d{4} ${time.slice(11, 16)}\\sUTC$`)
    const reservedAt = item.locator('time')
    await expect(reservedAt).toHaveText(utc((await reservedAt.getAttribute('datetime')) ?? ''))
    await expect(
      support.getByText(/For “Refactoring, large, website”. It expires on \d+ \w+ \d{4} at \d\d:\d\d UTC/),
    ).toBeVisible()
    const facts = support.getByRole('region', { name: 'Customer' })
    await expect(facts).toContainText('Reserved75')
    await act(support, 'Release credits', /Available425 → 500Hold\s*Open → Released/)
    await expect(facts).not.toContainText('Reserved')
    await support.goto(`/support/search?q=${hold}`)
    await timeline.getByRole('button', { name: 'Credits', exact: true }).click()
    const life = timeline.getByRole('listitem').filter({ hasText: 'Hold · ' })
    await expect(life).toContainText([/^Hold released/, /^75 credits reserved\s*Released/])
    await life.first().getByRole('button').click()
    await expect(timeline).toContainText('Its 75 credits were no longer reserved, and nothing was charged.')
    const because = life.first().getByRole('link', { name: `Hold ${hold}` })
    await expect(because).toHaveAttribute(
      'href',
      `/support/trace?owner=${customer.userId}&kind=hold&id=${hold}`,
    )
  },
)

test(
  'without a worker each page and act says so, and what was asked for is done when one comes',
  alone,
  async ({ request, browser, baseURL }) => {
    const { userId } = await newCustomer(request, baseURL)
    const support = await openConsole({ browser, baseURL }, sam)
    await support.goto('/support?kind=invitation&text=there-is-none')
    await pauseWorkers()
    try {
      const silence = /No worker has answered since \d+ \w+ \d{4} at \d\d:\d\d UTC/
      await expect(support.getByRole('status').filter({ hasText: silence })).toBeVisible({ timeout: 60_000 })
      await expect(
        support.getByText(/Looked at events.* Stripe’s list of events was last read/),
      ).toBeVisible()
      await expect(support.getByText('All payments have been delivered')).toHaveCount(0)
      await support.goto(`/support/trace?owner=${userId}`)
      await expect(caseSummary(support)).toContainText(
        /What happened at Stripe.* is not known.*a worker answered at/,
      )
      await support.getByRole('button', { name: 'Adjust credits' }).click()
      await previewAdjustment(support, '70', 'For the outage of Friday')
      await expect(dialog(support)).toContainText(silence)
      await expect(dialog(support)).toContainText('the preview comes when one answers')
      await dialog(support).getByLabel('Reason').fill('Promised on the phone')
      await dialog(support).getByRole('button', { name: 'Adjust credits' }).click()
      await expect(dialog(support)).toContainText('Asked; it is done when one answers.')
    } finally {
      await resumeWorkers()
    }
    await dialog(support).getByRole('button', { name: 'Done', exact: true }).click({ timeout: 60_000 })
    await expect(caseSummary(support)).toContainText('All expected credits are present', { timeout: 60_000 })
    await support.context().close()
  },
)

test(
  'a finding that only a person can decide about is adjusted from the page',
  long,
  async ({ request, browser, baseURL }) => {
    const { userId } = await newCustomer(request, baseURL)
    await plantUndecidedFinding(userId)
    const support = await openConsole({ browser, baseURL }, sam)
    await support.goto('/support/reconciliation')
    const sentence = '€20.00 of a payment are held by disputes, and we know of €15.00'
    const found = support.getByRole('listitem').filter({ hasText: sentence })
    await expect(found).toContainText('A person decides')
    await found.getByRole('button', { name: /^Adjust credits/ }).click()
    await previewAdjustment(support, '120', 'Correction of your credits')
    await expect(dialog(support)).toContainText('0 → 120')
    await dialog(support).getByLabel('Reason').fill('The bills were compared by hand')
    await dialog(support).getByRole('button', { name: 'Adjust credits' }).click()
    await dialog(support).getByRole('button', { name: 'Done', exact: true }).click()
    await support.goto(`/support/audit?owner_id=${userId}`)
    await expect(
      support.getByRole('button', { name: /The bills were compared by hand/ }).first(),
    ).toBeVisible()
    await support.context().close()
  },
)

test(
  'acts that were asked for together are one entry of the audit log, and are cancelled as far as they have not begun',
  long,
  async ({ request, browser, baseURL }) => {
    const { userId } = await newCustomer(request, baseURL)
    const batch = randomUUID()
    for (const number of [1, 2, 3]) {
      await plantAct({ kind: 'resync', target: { kind: 'user', id: `${userId}${number}` }, batch_id: batch })
    }
    const support = await openConsole({ browser, baseURL }, sam)
    await support.goto('/support/audit')
    await support
      .getByRole('button', { name: /3 items · After the outage/ })
      .first()
      .click()
    await support.getByRole('link', { name: 'Show progress and each entry' }).first().click()
    await expect(support).toHaveURL(new RegExp(batch))
    const together = support.getByRole('region', { name: 'Acts that were asked for together' })
    await expect(together.getByRole('status')).toHaveText('0 of 3 done')
    await together.getByRole('button', { name: 'Cancel the rest' }).click()
    await expect(together.getByRole('status')).toHaveText('3 items: 3 cancelled.')
    await expect(together.getByRole('button', { name: 'Cancel the rest' })).toHaveCount(0)
    await support.goto('/support/audit')
    await expect(
      support.getByRole('button', { name: /You Resync 3 items .* Cancelled/ }).first(),
    ).toBeVisible()
    await support.context().close()
  },
)

test(
  'an act that waits for a second person is refused with a reason',
  long,
  async ({ request, browser, baseURL }) => {
    const { userId } = await newCustomer(request, baseURL)
    const target = { kind: 'user', id: userId } as const
    const adjustment = { credits: 70, customer_note: 'For the outage', may_leave_debt: false }

    await plantAct({ kind: 'adjust', target, owner_id: userId, params: { adjustment } })
    const support = await openConsole({ browser, baseURL }, sam)
    await support.goto('/support')
    const waiting = waitingFor(support, userId)
    await waiting.getByRole('button', { name: 'Refuse' }).click()
    await dialog(support).getByRole('button', { name: 'Refuse' }).click()
    await expect(dialog(support)).toContainText('Enter a reason')
    await dialog(support).getByLabel('Reason').fill('The outage was elsewhere')
    await dialog(support).getByRole('button', { name: 'Refuse' }).click()
    await expect(waiting).toHaveCount(0)
    await support.goto(`/support/audit?owner_id=${userId}`)
    await expect(support.getByRole('button', { name: /The outage was elsewhere.* Refused/ })).toBeVisible()
    await support.context().close()
  },
)

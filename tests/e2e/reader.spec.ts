import type { Page } from '@playwright/test'
import { buildGrant, postTransfer } from '../support/factories/transfers.ts'
import { signUp } from './support/people.ts'
import { listenForProblems } from './support/problems.ts'
import { findUserId, reportUsages, withDatabase } from './support/product.ts'
import { alsoOnPhones, expect, test } from './support/test.ts'

/** What browsers in the field report; the last call counts from the next page on. */
async function report(page: Page, languages: readonly string[]): Promise<void> {
  await page.addInitScript(`{
    const languages = ${JSON.stringify(languages)}
    Object.defineProperty(navigator, 'languages', { get: () => languages, configurable: true })
    Object.defineProperty(navigator, 'language', { get: () => languages[0] ?? '', configurable: true })
    const own = Intl.DateTimeFormat.prototype.resolvedOptions
    Intl.DateTimeFormat.prototype.resolvedOptions = function () {
      return { ...own.call(this), timeZone: 'Etc/Unknown' }
    }
  }`)
}

test(
  'every page that formats stands in browsers whose language, time zone or digits are not well-formed',
  alsoOnPhones,
  async ({ page }) => {
    const problems = listenForProblems(page)
    const open = async (languages: readonly string[], path: string, shown: RegExp) => {
      await report(page, languages)
      await page.goto(path)
      await expect(page.locator('main').getByText(shown).first()).toBeVisible()
    }
    await open(['en-US@posix'], '/pricing', /€/)
    await open(['C'], '/updates', /\b20\d\d\b/)
    await report(page, [])
    const { email } = await signUp(page)
    const userId = await findUserId(email)
    const bought = buildGrant(userId, 1500, { account: 'purchased' })
    await withDatabase((db) => postTransfer(db, bought))
    await reportUsages(userId, [{ credits: 21, model: 'tide-1' }])
    await open([], '/dashboard', /1,479/)
    // Copied from a page in Arabic, from one in Japanese, and from a table.
    const field = page.getByLabel('Number of credits')
    for (const pasted of ['١٬٥٠٠', '１，５００', '\u2067\u200f 1\u202f500\u00a0\u2069']) {
      await field.fill('')
      await field.fill(pasted)
      await expect(page.getByText('Cost: €21.00')).toBeVisible()
    }
    await open(['*', 'x', 'de_DE.UTF-8@euro', 'en'], '/billing', /1\.479/)
    await expect(page.getByRole('region', { name: 'This Month' })).toContainText('21')
    await open(['C.UTF-8', 'ar-EG'], '/billing?tab=usage', /٢١/)
    await open(['hi-IN-u-nu-deva'], '/billing?tab=invoices&view=transactions', /१,४७९/)
    expect(problems).toEqual([])
  },
)

test(
  'a price that cannot be formatted is an error of its page, never one of signing in',
  alsoOnPhones,
  async ({ page }) => {
    await signUp(page)
    await page.addInitScript(`{
    const Own = Intl.NumberFormat
    Intl.NumberFormat = function (locales, options) {
      if (options?.style === 'currency') throw new RangeError('This browser has no currencies')
      return new Own(locales, options)
    }
  }`)
    for (const path of ['/pricing', '/dashboard']) {
      await page.goto(path)
      await expect(page.getByRole('heading', { name: 'Unexpected Application Error!' })).toBeVisible()
      await expect(page.getByText('This browser has no currencies')).toBeVisible()
      await expect(page.getByText('Authentication Error')).toHaveCount(0)
    }
  },
)

import { appendFile, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type Browser, expect, type Locator, type Page, test } from '@playwright/test'
import type { Person } from '../../../scripts/demo/caller.ts'
import { arrive, signIn } from './people.ts'
import { findUserId, openSandboxClerk } from './product.ts'

export const sam = { email: 'support@tidemark.test', password: 'tidemark-support-1' }
export const caseSummary = (page: Page) => page.getByRole('region', { name: 'Expected and actual state' })
export const dialog = (page: Page) => page.getByRole('dialog')
/** The act about the person that takes two, in the list of work. */
export const waitingFor = (page: Page, userId: string) =>
  page
    .getByRole('region', { name: 'Waiting for a second person' })
    .getByRole('listitem')
    .filter({ hasText: userId })

export async function previewAdjustment(page: Page, credits: string, note: string): Promise<void> {
  await dialog(page).getByLabel('Credits', { exact: true }).fill(credits)
  await dialog(page).getByLabel(/^Note/).fill(note)
  await dialog(page).getByRole('button', { name: 'Preview' }).click()
}

export interface Setting {
  readonly browser: Browser
  readonly baseURL: string | undefined
}

export async function openConsole({ browser, baseURL }: Setting, person: Person): Promise<Page> {
  // Support staff may be anywhere: the console has UTC.
  const timezoneId = 'America/New_York'
  const context = await browser.newContext({ ...(baseURL && { baseURL }), timezoneId })
  await signIn(context.request, person)
  return context.newPage()
}

/** A new user whom Clerk calls support staff. */
export async function hireSupport({ browser, baseURL }: Setting): Promise<Person> {
  const context = await browser.newContext({ ...(baseURL && { baseURL }) })
  const person = await arrive(context.request)
  await context.close()
  await openSandboxClerk().users.updateUserMetadata(await findUserId(person.email), {
    publicMetadata: { role: 'support' },
  })
  return person
}

/** Clicks of a mouse; a key that presses a button is none. */
export async function countClicks(page: Page): Promise<void> {
  await page.addInitScript(`
    addEventListener('click', ({ detail }) => {
      if (detail > 0) sessionStorage.setItem('clicks', String(Number(sessionStorage.getItem('clicks')) + 1))
    }, true)
  `)
}

function clicksOf(page: Page): Promise<number> {
  return page.evaluate<number>(`Number(sessionStorage.getItem('clicks'))`)
}

/** A complaint of a customer that support looks into: from the start page of the console. */
export interface Ticket {
  readonly page: Page
  /** Whether the case has said at any time that nothing is wrong. */
  wasGreen(): Promise<boolean>
  /** The cause is on the screen: two clicks at most. */
  understood(): Promise<void>
  /** What was wrong is right again: six clicks at most, those before and those of a colleague included. */
  mended(colleague?: Page): Promise<void>
}

const report = join(import.meta.dirname, '../../../reports/tickets.tsv')

/** Opens the console and searches for `about`, whose only match is opened at once. */
export async function takeTicket(setting: Setting, about: string): Promise<Ticket> {
  const page = await openConsole(setting, sam)
  await countClicks(page)
  await page.addInitScript(`
    new MutationObserver(() => {
      if (document.body?.textContent.includes('All expected credits are present')) sessionStorage.setItem('green', '1')
    }).observe(document, { subtree: true, childList: true, characterData: true })
  `)
  await page.goto('/support')
  const began = Date.now()
  await page.getByRole('searchbox', { name: 'Search support' }).click()
  await page.keyboard.type(about)
  await page.keyboard.press('Enter')
  const note = async (what: string, most: number, colleague?: Page) => {
    const clicks = (await clicksOf(page)) + (colleague ? await clicksOf(colleague) : 0)
    expect(clicks).toBeLessThanOrEqual(most)
    await mkdir(join(report, '..'), { recursive: true })
    const seconds = ((Date.now() - began) / 1000).toFixed(1)
    await appendFile(report, `${[test.info().title, what, clicks, seconds].join('\t')}\n`)
  }
  return {
    page,
    wasGreen: () => page.evaluate<boolean>(`sessionStorage.getItem('green') === '1'`),
    understood: () => note('understood', 2),
    mended: (colleague) => note('mended', 6, colleague),
  }
}

/** Whether the case says that nothing is wrong and nothing is unknown. */
export async function isGreen(page: Page): Promise<boolean> {
  const text = (await caseSummary(page).textContent()) ?? ''
  return text.includes('All expected credits are present') && !/not applied|is asked now/.test(text)
}

type Text = string | RegExp

/** Presses a button of the case, waits for the preview, and does it with a reason from the keyboard. */
export async function act(page: Page, button: Text, preview: Text, tell?: Text): Promise<void> {
  await page.getByRole('button', { name: button }).first().click()
  await confirm(page, preview)
  const done = dialog(page).getByRole('button', { name: 'Done', exact: true })
  await expect(done).toBeVisible({ timeout: 30_000 })
  if (tell) await expectTold(dialog(page), tell)
  await done.click()
}

/** Gives the reason for what the dialog has worked out. */
export async function confirm(page: Page, preview: Text): Promise<void> {
  await expect(dialog(page)).toContainText(preview, { timeout: 30_000 })
  await page.keyboard.type('The customer wrote to us')
  await page.keyboard.press('Enter')
}

/** A part says what to tell the customer, and has a button that copies it. */
export async function expectTold(within: Locator, tell: Text): Promise<void> {
  await expect(within.getByText('To the customer: “').filter({ hasText: tell }).first()).toBeVisible()
  await expect(within.getByRole('button', { name: /^Copy/ }).filter({ hasText: tell }).first()).toBeVisible()
}

/** The first person waits for a second one, who approves. */
export async function approve(page: Page, colleague: Page, userId: string, tell: Text): Promise<void> {
  await expect(dialog(page)).toContainText('Waiting for approval')
  await page.keyboard.press('Escape')
  await colleague.goto('/support')
  await waitingFor(colleague, userId).getByRole('button', { name: 'Approve' }).click()
  const done = dialog(colleague).getByRole('button', { name: 'Done', exact: true })
  await expect(done).toBeVisible({ timeout: 60_000 })
  await expectTold(dialog(colleague), tell)
  await done.press('Enter')
}

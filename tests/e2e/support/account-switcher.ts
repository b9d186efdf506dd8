import { expect, type Page } from '@playwright/test'

/** Chooses an organization in the switcher, which stays on the page; on a phone it is in the navigation. */
export async function chooseOrganization(page: Page, path: string, name: string): Promise<void> {
  // Clerk's script has the list of organizations of when the page was loaded.
  await page.goto(path)
  const toggle = page.getByRole('button', { name: 'Toggle sidebar' })
  await toggle.waitFor()
  if (isPhone(page)) await toggle.click()
  const switcher = page.getByRole('button', { name: 'Open organization switcher' })
  await switcher.click()
  await page.getByRole('button', { name }).click()
  // The choice is seen at once: the navigation does not stay over the page.
  if (isPhone(page)) await expect(page.getByRole('dialog', { name: 'Navigation' })).toBeHidden()
  else await expect(switcher).toContainText(name)
  await expect(page).toHaveURL((url) => url.pathname === path)
}

/** Where the sidebar is a sheet, and Clerk's dialogs have their navigation behind a button. */
export function isPhone(page: Page): boolean {
  return (page.viewportSize()?.width ?? 0) < 768
}

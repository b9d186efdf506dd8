import type { Page } from '@playwright/test'

/** What the browser complains of on the page, from now on. */
export function listenForProblems(page: Page): readonly string[] {
  const problems: string[] = []
  page.on('console', (message) => {
    // Chromium says it of Clerk's scripts when seconds pass before a form is opened, so on a slow machine.
    if (message.text().includes('was preloaded using link preload but not used within')) return
    if (message.type() === 'error' || message.type() === 'warning') problems.push(message.text())
  })
  page.on('pageerror', (error) => problems.push(error.message))
  return problems
}

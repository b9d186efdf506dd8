import { signUp } from './support/people.ts'
import { expect, test } from './support/test.ts'

test('an amount is grouped while it is typed, and changes by nothing else', async ({ page }) => {
  await signUp(page)
  const field = page.getByLabel('Number of credits')
  await field.clear()
  await field.pressSequentially('1000')
  await expect(field).toHaveValue('1,000')
  // The caret stays among the digits: a digit before the last three, and the separator is no obstacle.
  for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowLeft', '2']) await page.keyboard.press(key)
  await expect(field).toHaveValue('12,000')
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Backspace')
  await page.keyboard.type('3')
  await expect(field).toHaveValue('3,000')
  await field.hover()
  await page.mouse.wheel(0, 200)
  await page.keyboard.press('ArrowUp')
  await expect(field).toHaveValue('3,000')

  await page.getByRole('button', { name: '1,500 credits for €21.00, popular' }).click()
  await expect(field).toHaveValue('1,500')
  await expect(page.getByRole('button', { name: 'Add Credits · €21.00' })).toBeVisible()
})

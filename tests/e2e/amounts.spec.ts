import { signUp } from './support/people.ts'
import { expect, german, long, test } from './support/test.ts'

const refused = [
  ['70', 'Minimum purchase is 71 credits'],
  ['-1', 'Minimum purchase is 71 credits'],
  ['71429', 'Maximum purchase is 71,428 credits'],
  ['1000000000', 'Maximum purchase is 71,428 credits'],
  ['71.5', 'Credits must be a whole number'],
  ['1e3', 'Please enter a valid number'],
  ['', 'Number of credits is required'],
] as const
const accepted = [
  ['71', 'Cost: €0.99'],
  ['500', 'Cost: €7.00'],
  ['71428', 'Cost: €999.99'],
] as const

test('every amount is judged as it is typed', long, async ({ page }) => {
  await signUp(page)
  const field = page.getByLabel('Number of credits')
  const button = page.getByRole('button', { name: 'Add Credits' })
  // The first page of a product that has just started takes its time.
  await field.waitFor()
  await expect(field).toHaveValue('1,500')
  await expect(page.getByText('Cost: €21.00')).toBeVisible()
  await expect(button).toBeEnabled()
  for (const [typed, text] of refused) {
    await field.fill('500')
    await field.fill(typed)
    await expect(page.getByText(text)).toBeVisible()
    await expect(button).toBeDisabled()
  }
  for (const [typed, text] of accepted) {
    await field.fill(typed)
    await expect(page.getByText(text)).toBeVisible()
    await expect(button).toBeEnabled()
  }
  await field.fill('')
  await field.pressSequentially('1e')
  await expect(page.getByText('Please enter a valid number')).toBeVisible()
})

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

test('an amount is read with German separators in Germany', german, async ({ page }) => {
  await signUp(page)
  const field = page.getByLabel('Number of credits')
  for (const [typed, shown, text] of [
    ['1.000', '1.000', 'Cost: 14,00 €'],
    ['1 000,00', '1.000,00', 'Cost: 14,00 €'],
    ['150,5', '150,5', 'Credits must be a whole number'],
    ['150.5', '150.5', 'Please enter a valid number'],
    ['71429', '71.429', 'Maximum purchase is 71,428 credits'],
  ] as const) {
    await field.fill('')
    await field.pressSequentially(typed)
    await expect(field).toHaveValue(shown)
    await expect(page.getByText(text)).toBeVisible()
  }
  await field.fill('1500')
  await expect(page.getByRole('button', { name: 'Add Credits · 21,00 €' })).toBeVisible()
  await expect(page.getByText(/^Member since \d+\. /)).toBeVisible()
})

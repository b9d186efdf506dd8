import { signUp } from './support/people.ts'
import { expect, test } from './support/test.ts'

const refused = [
  ['70', 'Minimum purchase is 71 credits'],
  ['-1', 'Minimum purchase is 71 credits'],
  ['71429', 'Maximum purchase is 71,428 credits'],
  ['1000000000', 'Maximum purchase is 71,428 credits'],
  ['71.5', 'Credits must be a whole number'],
  ['', 'Number of credits is required'],
] as const
const accepted = [
  ['71', 'Cost: €0.99'],
  ['500', 'Cost: €7.00'],
  ['71428', 'Cost: €999.99'],
] as const

test('every amount is judged as it is typed', async ({ page }) => {
  await signUp(page)
  const field = page.getByLabel('Number of credits')
  const button = page.getByRole('button', { name: 'Add Credits' })
  await expect(button).toBeDisabled()
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

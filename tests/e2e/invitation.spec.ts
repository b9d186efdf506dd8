import { randomBytes } from 'node:crypto'
import { signUp } from './support/people.ts'
import { openSandboxClerk, turnStripeKnob } from './support/product.ts'
import { expect, longAndAlone, test } from './support/test.ts'

test(
  'a copied link joins the invited person, and says what became of an invitation that is over',
  longAndAlone,
  async ({ page }) => {
    const clerk = openSandboxClerk()
    const { email } = await signUp(page)
    const id = randomBytes(4).toString('hex')
    const admin = await clerk.users.createUser({ emailAddress: [`admin.${id}@tidemark.test`] })
    const heading = (name: string) => page.getByRole('heading', { name })
    async function invite(name: string, emailAddress = email) {
      const { id: organizationId } = await clerk.organizations.createOrganization({
        name,
        createdBy: admin.id,
      })
      const order = { organizationId, emailAddress, role: 'org:member' as const, expiresInDays: 2 }
      const invitation = await clerk.organizations.createOrganizationInvitation(order)
      return { organizationId, id: invitation.id, link: `/invite/${organizationId}/${invitation.id}` }
    }
    const [open, revoked, expired, foreign] = await Promise.all([
      invite(`Harbour ${id}`),
      invite(`Pier ${id}`),
      invite(`Quay ${id}`),
      invite(`Dock ${id}`, `carol.${id}@tidemark.test`),
    ])

    await page.goto(foreign.link)
    await expect(heading('This invitation is not for this account')).toBeVisible()
    await expect(page.getByText(`Signed in as ${email}`)).toBeVisible()
    await expect(page.getByText(`Dock ${id}`)).toHaveCount(0)

    await page.goto(open.link)
    await expect(heading(`Join Harbour ${id}`)).toBeVisible()
    await page.getByRole('button', { name: 'Join', exact: true }).click()
    await page.waitForURL('**/dashboard')
    await expect(page.getByRole('button', { name: 'Open organization switcher' })).toContainText(
      `Harbour ${id}`,
    )
    await page.goto(open.link)
    await expect(heading(`You are a member of Harbour ${id}`)).toBeVisible()

    await clerk.organizations.revokeOrganizationInvitation({
      organizationId: revoked.organizationId,
      invitationId: revoked.id,
      requestingUserId: admin.id,
    })
    await page.goto(revoked.link)
    await expect(heading('This invitation was revoked')).toBeVisible()
    await turnStripeKnob('clock/advance', { days: 3 })
    await expect(async () => {
      await page.goto(expired.link)
      await expect(heading('This invitation has expired')).toBeVisible({ timeout: 3000 })
    }).toPass()
  },
)

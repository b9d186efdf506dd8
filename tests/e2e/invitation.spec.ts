import { randomBytes } from 'node:crypto'
import { openClerk } from '../../schema/clerk/client.ts'
import { expect, test } from './support/test.ts'

/** The organization and its invitation are made as the server makes them; the link is taken from the mail. */
async function sendInvitation(appUrl: string): Promise<{ organization: string; link: string }> {
  const url = process.env.E2E_CLERK_URL ?? ''
  const id = randomBytes(4).toString('hex')
  const clerk = openClerk({ secretKey: 'sk_test_sandbox', apiUrl: `${url}/bapi` })
  const admin = await clerk.users.createUser({ emailAddress: [`admin.${id}@tidemark.test`] })
  const organization = await clerk.organizations.createOrganization({
    name: `Harbour ${id}`,
    createdBy: admin.id,
  })
  const email = `guest.${id}@tidemark.test`
  await clerk.organizations.createOrganizationInvitation({
    organizationId: organization.id,
    emailAddress: email,
    role: 'org:member',
    redirectUrl: `${appUrl}/invite/${organization.id}/${id}`,
  })
  const mails = (await (await fetch(`${url}/_sandbox/mails?to=${email}`)).json()) as {
    data: { url: string }[]
  }
  return { organization: organization.name, link: mails.data[0]?.url ?? '' }
}

test('the link of an invitation leads through our sign-up into the organization', async ({
  page,
  baseURL,
}) => {
  const { organization, link } = await sendInvitation(baseURL ?? '')
  await page.goto(link)
  await expect(page).toHaveURL(/\/sign-up\?.*__clerk_ticket=/)
  await page.getByLabel('Password', { exact: true }).fill(`tidal-${randomBytes(4).toString('hex')}-harbour`)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
  await page.waitForURL('**/dashboard')
  await expect(page.getByRole('button', { name: 'Open organization switcher' })).toContainText(organization)
})

test('a link that was copied asks for a sign-in', async ({ page }) => {
  await page.goto('/invite/org_1/orginv_1')
  await expect(page).toHaveURL(/\/sign-in\?redirect_url=%2Finvite%2Forg_1%2Forginv_1/)
})

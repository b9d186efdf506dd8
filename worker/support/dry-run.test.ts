import { expect, test } from 'vitest'
import { testProduct } from '../../tests/support/product/start-test-product.ts'
import { withoutWrites } from './dry-run.ts'

const product = testProduct({ stripe: 'empty' })

test('a call that would change an object answers with the object as it is', async () => {
  const { client } = product.stripe
  const dry = withoutWrites(client)
  const { id } = await client.customers.create({ email: 'ada@example.com' })
  expect(await dry.customers.update(id, { email: 'eve@example.com' })).toMatchObject({
    email: 'ada@example.com',
  })
  expect(await dry.customers.del(id)).toMatchObject({ id, email: 'ada@example.com' })
  expect(await client.customers.retrieve(id)).toMatchObject({ email: 'ada@example.com' })
})

test('reading goes to Stripe, page by page too, and nothing is made there', async () => {
  const { client } = product.stripe
  const dry = withoutWrites(client)
  await client.customers.create({ email: 'grace@example.com' })
  const emails: (string | null)[] = []
  for await (const { email } of dry.customers.list({ limit: 1 })) emails.push(email)
  expect(emails).toContain('grace@example.com')
  await expect(dry.customers.create({ email: 'eve@example.com' })).rejects.toThrow(
    'A dry run does not call create at Stripe',
  )
  await expect(dry.checkout.sessions.expire('cs_none')).rejects.toMatchObject({ code: 'resource_missing' })
})

import { describe, expect, test } from 'vitest'
import { getWebConfig, listPlans } from '../../schema/api/catalogue.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'

const { server } = testProduct()

describe('the public catalogue', () => {
  test('the catalogue contains plans and prices', async () => {
    const { plans, credits } = await server.ask(listPlans)
    expect(plans.map(({ plan_type, price_minor }) => [plan_type, price_minor?.monthly ?? 0])).toEqual([
      ['starter', 0],
      ['pro', 2000],
      ['teams', 3000],
    ])
    expect(credits).toMatchObject({ minimum: 71, maximum: 71_428, rate: { credits: 500, amount_minor: 700 } })
    expect(credits.packs.map(({ credits, amount_minor }) => [credits, amount_minor])).toEqual([
      [500, 700],
      [1500, 2100],
      [3000, 4200],
    ])
  })

  test('the settings of the web app say that payments are simulated', async () => {
    expect(await server.ask(getWebConfig)).toMatchObject({
      brand: { name: 'Tidemark' },
      clerk: { proxy_url: '/__clerk' },
      sandbox: true,
    })
  })
})

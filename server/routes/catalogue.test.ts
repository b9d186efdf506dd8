import { expect, test } from 'vitest'
import { getWebConfig } from '../../schema/api/catalogue.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'

const { server } = testProduct()

test('the settings of the web app say that payments are simulated', async () => {
  expect(await server.ask(getWebConfig)).toMatchObject({
    brand: { name: 'Tidemark' },
    clerk: { proxy_url: '/__clerk' },
    sandbox: true,
  })
})

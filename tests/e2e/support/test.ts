import * as playwright from '@playwright/test'
import type { ProductAddresses } from './global-setup.ts'
import { calmProduct } from './product.ts'

/** For tests with global faults, deliveries or clock changes. They run last: the clock stays advanced. */
export const alone = { tag: '@alone' }
/** Tests of this kind also run in the browser of a phone. */
export const alsoOnPhones = { tag: '@phone' }
/** Tests of this kind run in a German browser only. */
export const german = { tag: '@german' }

/** Each worker has a product of its own; each test still creates its own people. */
export const test = playwright.test.extend<{ calm: undefined }, { product: ProductAddresses }>({
  product: [
    async ({ browserName: _browser }, use, { parallelIndex }) => {
      const products = JSON.parse(process.env.E2E_PRODUCTS ?? '[]') as ProductAddresses[]
      const own = products[parallelIndex]
      if (!own) throw new Error('E2E_PRODUCTS names no product for this worker: the global setup sets it')
      Object.assign(process.env, own)
      await use(own)
    },
    { auto: true, scope: 'worker' },
  ],
  baseURL: ({ product }, use) => use(product.E2E_APP_URL),
  calm: [
    async ({ product: _product }, use, { tags }) => {
      await use(undefined)
      if (tags.includes(alone.tag)) await calmProduct()
    },
    { auto: true },
  ],
})

export const expect = playwright.expect

import type Stripe from 'stripe'
import type { TestProduct } from '../support/product/start-test-product.ts'
import type { TestServer } from '../support/product/test-server.ts'

export type DyingServer = Awaited<ReturnType<typeof startDyingServer>>

/** A second server that is cut off after it opened a page, as if it was killed at that moment. */
export async function startDyingServer(product: Pick<TestProduct, 'startServer' | 'stripe'>) {
  const { client } = product.stripe
  let made = () => {}
  const create = async (...request: Parameters<Stripe['checkout']['sessions']['create']>) => {
    await client.checkout.sessions.create(...request)
    made()
    return new Promise<never>(() => undefined)
  }
  const sessions = new Proxy(client.checkout.sessions, {
    get: (target, name) => (name === 'create' ? create : bound(target, name)),
  })
  const stripe = new Proxy(client, {
    get: (target, name) => (name === 'checkout' ? { sessions } : bound(target, name)),
  })
  const server = await product.startServer({ deps: { stripe } })
  return {
    /** Sends a request, and returns once Stripe has made its page or it was answered without one. */
    async abandon(request: (server: TestServer) => Promise<unknown>) {
      const isMade = new Promise<void>((resolve) => {
        made = resolve
      })
      await Promise.race([isMade, request(server).catch(() => undefined)])
    },
    close: () => server.close(),
  }
}

function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name)
  return typeof value === 'function' ? value.bind(target) : value
}

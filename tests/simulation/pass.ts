import type { FaultyProduct } from './faulty-product.ts'

export async function pass(product: FaultyProduct, seconds: number): Promise<void> {
  product.clock.advance(seconds * 1000)
  await product.stripe.knob('clock/advance', { seconds })
}

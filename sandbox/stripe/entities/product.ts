import { newId } from '../../kit/id.ts'
import type { Service } from '../service.ts'
import type { StoredProduct } from '../state.ts'
import { asPublished } from './published.ts'

type ProductInput = Pick<StoredProduct, 'name' | 'metadata'> & Partial<StoredProduct>

export function newProduct({ clock, livemode }: Service, input: ProductInput): StoredProduct {
  return asPublished<StoredProduct>({
    id: newId('prod', 14),
    object: 'product',
    active: true,
    created: clock.now(),
    images: [],
    livemode,
    marketing_features: [],
    tax_details: null,
    type: 'service',
    updated: clock.now(),
    ...input,
  })
}

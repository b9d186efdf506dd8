import { newId } from '../../kit/id.ts'
import type { Service } from '../service.ts'
import type { StoredProduct } from '../state.ts'

export type ProductInput = Pick<StoredProduct, 'name' | 'metadata'> &
  Partial<Pick<StoredProduct, 'active' | 'description' | 'id' | 'images' | 'tax_code' | 'unit_label'>>

export function newProduct({ clock, livemode }: Service, input: ProductInput): StoredProduct {
  return {
    id: input.id ?? newId('prod', 14),
    object: 'product',
    active: input.active ?? true,
    created: clock.now(),
    default_price: null,
    description: input.description ?? null,
    images: input.images ?? [],
    livemode,
    marketing_features: [],
    metadata: input.metadata,
    name: input.name,
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: input.tax_code ?? null,
    tax_details: null,
    type: 'service',
    unit_label: input.unit_label ?? null,
    updated: clock.now(),
    url: null,
  }
}

import { CheckoutReturn } from '../../../components/purchase/CheckoutReturn.tsx'

export function BillingSuccessPage() {
  return <CheckoutReturn page="billing" />
}

import { CheckoutReturn } from '../../../components/purchase/CheckoutReturn.tsx'

export function PaymentSuccessPage() {
  return <CheckoutReturn page="payment" />
}

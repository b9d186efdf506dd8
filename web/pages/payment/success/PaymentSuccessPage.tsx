import { CheckoutReturn } from '../../../components/purchase/CheckoutReturn.tsx'

/** Only credits can be bought so far, so a payment's success is a credit purchase's. */
export function PaymentSuccessPage() {
  return <CheckoutReturn />
}

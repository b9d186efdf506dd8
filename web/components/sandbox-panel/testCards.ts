/** One of Stripe's test cards for each outcome. https://docs.stripe.com/testing */
export const testCards = [
  { number: '4242 4242 4242 4242', effect: 'Pays' },
  { number: '4000 0000 0000 0002', effect: 'Is declined' },
  { number: '4000 0000 0000 9995', effect: 'Has too little money' },
  { number: '4000 0000 0000 0341', effect: 'Pays now, fails at renewal' },
  { number: '4000 0000 0000 0259', effect: 'Pays, then is disputed' },
] as const

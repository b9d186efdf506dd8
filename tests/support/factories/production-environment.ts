/** Every variable without which production does not start, in the shapes of real keys. */
export const productionEnvironment = {
  NODE_ENV: 'production',
  APP_URL: 'https://app.example.com',
  DATABASE_URL: 'postgres://user:secret@db.example.com/app',
  STRIPE_SECRET_KEY: `sk_live_${'1'.repeat(90)}`,
  STRIPE_WEBHOOK_SECRET: `whsec_${'1'.repeat(32)}`,
  CLERK_SECRET_KEY: `sk_live_${'2'.repeat(42)}`,
  CLERK_PUBLISHABLE_KEY: `pk_live_${'3'.repeat(24)}`,
  CLERK_WEBHOOK_SECRET: `whsec_${'2'.repeat(32)}`,
  SIGN_IN_SECRET: '3'.repeat(44),
}

import { readOptions } from './settings.ts'
import { createStripeSandbox } from './start.ts'

try {
  const options = readOptions(process.env)
  const sandbox = await createStripeSandbox(options).catch((error) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(
      `Port ${options.port} is taken. Set SANDBOX_STRIPE_PORT to another one, or stop what listens there.`,
    )
  })
  console.log(`sandbox/stripe ready on ${sandbox.url}`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => sandbox.close().then(() => process.exit(0)))
  }
} catch (error) {
  console.error(`sandbox/stripe: ${error instanceof Error ? error.message : error}`)
  process.exit(1)
}

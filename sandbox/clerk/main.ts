import { readSettings } from './settings.ts'
import { createClerkSandbox } from './start.ts'

try {
  const settings = readSettings(process.env)
  const sandbox = await createClerkSandbox(settings).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error
    throw new Error(
      `sandbox/clerk cannot listen on port ${settings.port}: it is taken. Free it, or set SANDBOX_CLERK_PORT to another one.`,
    )
  })
  console.log(`sandbox/clerk ready on ${sandbox.url}`)

  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, async () => {
      await sandbox.close()
      process.exit(0)
    })
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}

import { type Browser, chromium } from '@playwright/test'
import { launchThrowaway } from '../../scripts/launch/throwaway.ts'
import { browserArguments } from '../../scripts/test/tools/browser-arguments.ts'
import { findChromium } from '../../scripts/test/tools/chromium.ts'

/**
 * Launches a product and a browser for a command that takes pictures. The support code of the browser tests
 * finds the product by the environment. Both stop with the stack. Throws when there is no browser to be had.
 */
export async function launchForPictures(
  running: AsyncDisposableStack,
  logFile: string,
): Promise<{ url: string; browser: Browser }> {
  const found = await findChromium({ install: true, say: console.log })
  if (!found.found) throw new Error(found.reason)
  console.log('launching the product …')
  const product = await launchThrowaway({ logFile })
  running.defer(() => product.stop())
  process.env.E2E_DATABASE_URL = product.databaseUrl
  process.env.E2E_STRIPE_URL = product.stripeSandboxUrl
  process.env.E2E_CLERK_URL = product.clerkSandboxUrl
  const browser = await chromium.launch({ executablePath: found.value, args: browserArguments() })
  running.defer(() => browser.close())
  return { url: product.url, browser }
}

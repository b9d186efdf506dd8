import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { clerkSandboxVariables, stripeSandboxVariables } from '../../scripts/sandbox-environment.ts'
import { buildGrant, postTransfer } from '../../tests/support/factories/transfers.ts'
import { compileCache } from '../../tests/support/product/product-process.ts'
import { testProduct } from '../../tests/support/product/start-test-product.ts'

const product = testProduct({ stripe: 'empty', clerk: 'sandbox' })

function run(stripePort: number): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = {
    PATH: process.env.PATH,
    ...compileCache,
    NODE_ENV: 'test',
    APP_URL: 'http://localhost:3000',
    DATABASE_URL: product.database.url,
    ...stripeSandboxVariables({ stripePort }),
    ...clerkSandboxVariables({ clerkPort: Number(new URL(product.clerk.url).port) }),
  }
  const script = join(import.meta.dirname, '../../scripts/reconcile.ts')
  return new Promise((resolve) => {
    execFile(process.execPath, [script], { env, cwd: import.meta.dirname }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr })
    })
  })
}

test('npm run reconcile ends with 0 when all agrees, with 1 when something differs, with 2 when it cannot tell', async () => {
  const port = Number(new URL(product.stripe.url).port)
  expect(await run(port)).toMatchObject({ code: 0, stdout: expect.stringContaining('No differences.') })
  await postTransfer(product.database.worker, buildGrant('user_cli', 300))
  const { code, stdout } = await run(port)
  expect([code, stdout]).toEqual([1, expect.stringContaining('1 differences.')])
  expect(stdout).toContain('DIFFERS  adjustment_unexplained')
  expect(stdout).toContain('To repair it: adjust user user_cli.')
  // No server listens there.
  expect(await run(1)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('It could not be compared'),
  })
}, 120_000)

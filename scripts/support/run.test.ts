import { describe, expect, test } from 'vitest'
import { findBalance } from '../../schema/ledger/read/balances.ts'
import { pseudonymOf } from '../../schema/people/users/forget-user.ts'
import { findUser } from '../../schema/people/users/users.ts'
import { approveAct, findAct, outcomeOf } from '../../schema/support/acts.ts'
import { receiveCheckoutEvent } from '../../tests/support/factories/events.ts'
import { buildPaidCredits } from '../../tests/support/factories/paid-purchases.ts'
import { buildUser } from '../../tests/support/factories/users.ts'
import { testProduct, trustingClerk } from '../../tests/support/product/start-test-product.ts'
import { trustingStaff } from '../../tests/support/product/test-worker.ts'
import { outcomeText } from '../../web/content/support/acts.ts'
import { processSupportAct } from '../../worker/support/support-act.ts'
import { runSupport } from './run.ts'

const product = testProduct({
  stripe: 'empty',
  server: { deps: { clerk: { ...trustingClerk, identify: async () => null } } },
})
const { database, server, worker } = product

/** What a command says, and what the process ends with. */
async function run(argv: readonly string[], actor = 'cli:ada') {
  const lines: string[] = []
  const opened = { server: server.deps, worker: workerDeps(), owner: database.owner }
  const code = await runSupport(opened, argv, { actor, say: (line) => lines.push(line) })
  return { code, text: lines.join('\n') }
}
const runJson = async (argv: readonly string[], actor?: string) =>
  JSON.parse((await run([...argv, '--json'], actor)).text)
const workerDeps = () => ({
  ...worker.deps,
  ...trustingStaff,
  clerk: { ...trustingStaff.clerk, listEmailAddresses: async () => [], deleteUser: async () => undefined },
})

/** A colleague agrees in the console, and the worker does it; what came of it. */
async function approve(id: string, typed_address?: string) {
  const now = worker.deps.now()
  const approval = { id, approved_by: 'user_bob', token: 'user_bob', typed_address, next_try_at: now }
  await approveAct(database.server, approval)
  await processSupportAct(workerDeps(), { act_id: id })
  const act = await findAct(database.owner, id)
  return act && outcomeOf(act)
}
const reason = ['--reason', 'The customer wrote to us']
const balanceOf = async (owner_id: string) => (await findBalance(database.owner, owner_id)).total

async function buildPaidEvent() {
  const bought = await buildPaidCredits(product)
  const { owner_id, intent_id } = bought
  return { owner_id, intent_id, id: await receiveCheckoutEvent(database.server, bought) }
}

describe('support from the terminal', () => {
  test('replays after a dry run that says the same, and says when nothing changed', async () => {
    const { owner_id, id } = await buildPaidEvent()
    const dry = await run(['replay', id, '--dry-run'])
    expect(dry.text).toContain('+500 credits: Credit purchase.')
    expect(await balanceOf(owner_id)).toBe(0)
    const done = await run(['replay', id, ...reason])
    expect(done).toEqual({ code: 0, text: dry.text.replace('dry run of ', '') })
    expect(await balanceOf(owner_id)).toBe(500)
    expect((await run(['replay', `event:${id}`, ...reason])).text).toMatch(/Nothing changed\. /)
    const { acts } = await runJson(['replay', id, ...reason])
    expect(acts).toMatchObject([{ state: 'done', requested_by: 'cli:ada', outcome: { changed: false } }])
  })

  test('support from the terminal adjusts up to the limit, and above it with a second person', async () => {
    const user = await buildUser(database.server)
    const adjust = (credits: number) => [
      'adjust',
      user,
      `--credits=${credits}`,
      '--note',
      'Our apologies',
      ...reason,
    ]
    expect((await run(adjust(20))).code).toBe(0)
    expect((await run(adjust(-5))).code).toBe(0)
    const { acts } = await runJson(adjust(6000))
    expect(acts).toMatchObject([{ state: 'waiting_for_approval' }])
    const { id } = acts[0]
    expect((await run(['waiting'])).text).toContain(id)
    expect((await approve(id))?.transfers).toMatchObject([{ credits: 6000, reason: 'Our apologies' }])
    expect(await balanceOf(user)).toBe(6015)
    const audit = await runJson(['audit', user])
    expect(audit[0]).toMatchObject({ outcome: 'done', actor: 'cli:ada' })
    expect((await run(['trace', user])).text).toContain('balance 6015')
  })

  test('support from the terminal refunds a part of a payment, and the rest when it is told what was refunded before', async () => {
    const { owner_id, id, intent_id } = await buildPaidEvent()
    await run(['replay', id, ...reason])
    const refund = (...options: string[]) => run(['refund', `intent:${intent_id}`, ...options, ...reason])
    expect((await refund('--amount=3.50')).text).toMatch(
      /−250 credits: Refund\. Refunded: 0\.00 EUR → 3\.50 EUR\./,
    )
    expect((await refund('--amount=3.50')).text).toContain('has the refunded 3.50 EUR, not 0.00 EUR')
    expect((await refund('--amount=3.5', '--refunded=3.50')).code).toBe(0)
    expect(await balanceOf(owner_id)).toBe(0)
  })

  test('erases a person when a second one has agreed, and says again and again that it was done', async () => {
    const user = await buildUser(database.server)
    const dry = await run(['forget', user, '--dry-run'])
    expect(dry.text).toContain('Their account, name and addresses are erased.')
    const { acts } = await runJson(['forget', user, ...reason])
    expect(acts).toMatchObject([{ state: 'waiting_for_approval' }])
    expect(await findUser(database.owner, user)).toMatchObject({ first_name: 'Ada' })
    const done = await approve(acts[0].id, `${user}@tidemark.test`)
    expect(dry.text).toContain(done && outcomeText('forget', done))
    expect(await findUser(database.owner, user)).toMatchObject({ email: pseudonymOf(user), first_name: null })
    const again = await runJson(['forget', user, ...reason])
    expect(await approve(again.acts[0].id, pseudonymOf(user))).toMatchObject({ changed: false })
    await expect(run(['forget', 'org_tidemark', ...reason])).rejects.toMatchObject({ name: 'UsageError' })
  })

  test('support from the terminal ends with 1 when something is refused, and does the others', async () => {
    const { owner_id, id } = await buildPaidEvent()
    const { code, text } = await run(['replay', 'evt_unknown', id, ...reason])
    expect(code).toBe(1)
    expect(text).toContain('event:evt_unknown: refused.')
    expect(await balanceOf(owner_id)).toBe(500)
    expect(await run(['replay', id])).toMatchObject({
      code: 1,
      text: expect.stringContaining('Enter a reason'),
    })
  })

  test('support from the terminal lists problems that need a person', async () => {
    const { rows } = await runJson(['list', '--state', 'failed'])
    expect(rows).toEqual([])
  })

  test.each([
    [[]],
    [['frobnicate']],
    [['replay']],
    [['adjust', 'user_x', '--credits=many', '--note', 'Hello']],
    [['refund', 'intent:x', '--amount=many']],
    [['resync', 'someone@tidemark.test']],
    [['list', '--state', 'broken']],
    [['refuse', 'that one']],
    [['approve', '0b9a6c0e-0000-4000-8000-000000000000']],
    [['replay', 'evt_1', '--force']],
  ])('support from the terminal says that it does not understand %j', async (argv) => {
    await expect(run(argv)).rejects.toMatchObject({ name: 'UsageError' })
  })
})

import { userInfo } from 'node:os'
import type { FindingKind } from '../schema/api/findings.ts'
import type { Repair } from '../schema/api/reconciliation.ts'
import { countFindings, type FindingRow, listFindings } from '../schema/billing/reconciliation/findings.ts'
import type { Run } from '../schema/billing/reconciliation/runs.ts'
import { reasonText } from '../web/content/support/failures.ts'
import { describeFinding } from '../web/content/support/findings.ts'
import type { WorkerDependencies } from '../worker/dependencies.ts'
import { reconcileAll } from '../worker/reconciliation/run.ts'
import { loadDotEnv } from './dot-env.ts'
import { explainError } from './explain-error.ts'
import { withWorkerDependencies } from './worker-dependencies.ts'

/**
 * `npm run reconcile`: compares Stripe and Clerk with our database, and prints the differences and their
 * repair. Exit code 1 for differences, 2 when the comparison failed.
 */
loadDotEnv()
try {
  const isAlike = await withWorkerDependencies(process.env, async (deps) => {
    const run = await reconcileAll(deps, `cli:${userInfo().username}`)
    if (run.state === 'failed') throw new Error(reasonText(run.error ?? 'The run has failed'))
    print(...describeRun(run))
    const count = await printFindings(deps)
    print(count === 0 ? 'No differences.' : `${count} differences.`)
    return count === 0
  })
  process.exitCode = isAlike ? 0 : 1
} catch (error) {
  process.stderr.write(`It could not be compared: ${explainError(error)}\n`)
  process.exitCode = 2
}

function print(...lines: readonly string[]): void {
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

function describeRun({ since, until, compared }: Run): string[] {
  const counts = Object.entries(compared).map(([what, count]) => `${count} ${what}`)
  return [
    `Compared ${counts.join(', ')}; at Stripe since ${since?.toISOString()}, until ${until?.toISOString()}.`,
  ]
}

async function printFindings({ db }: WorkerDependencies): Promise<number> {
  let after: Awaited<ReturnType<typeof listFindings>>['next'] = null
  do {
    const page = await listFindings(db, { filter: { state: 'open' }, limit: 200, ...(after && { after }) })
    print(...page.findings.flatMap(linesOf))
    after = page.next
  } while (after)
  const counts = await countFindings(db)
  print(
    ...counts.map(({ kind, count, amount_minor, currency }) => {
      const money = currency ? `, ${(amount_minor / 100).toFixed(2)} ${currency}` : ''
      return `${kind}: ${count}${money}`
    }),
  )
  return counts.reduce((sum, { count }) => sum + count, 0)
}

function linesOf(finding: FindingRow): string[] {
  const { object_id, owner_id } = finding
  const [kind, repair] = [finding.kind as FindingKind, finding.repair as unknown as Repair | null]
  const { sentence, they_say, we_have, advice } = describeFinding({ ...finding, kind, repair })
  return [
    `DIFFERS  ${kind} ${object_id}${owner_id ? ` (${owner_id})` : ''}: ${sentence}.`,
    `         ${they_say} ${we_have}`,
    `         ${repair ? `To repair it: ${repair.kind} ${repair.target.kind} ${repair.target.id}. ` : ''}${advice}`,
  ]
}

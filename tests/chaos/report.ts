import type { ChaosReport } from './run.ts'

export function describeReport(report: ChaosReport): string {
  const { calls } = report
  const rows: (readonly [string, string | number])[] = [
    ['queues', report.backend],
    ['seed', report.seed],
    ['the storm lasted', `${report.storm_s} s`],
    ...Object.entries(report.sent),
    ...Object.entries(report.faults).filter(([, count]) => count > 0),
    ['processes killed', report.kills],
    ['customers', report.customers],
    ['calls of theirs', calls.calls],
    ['of these without an answer', calls.unanswered],
    ['of these told to try again', calls.turned_away],
    ['reports of usage', report.usage_reports],
    ['holds', report.reservations],
    ['payments', report.payments],
    ['all settled after the last fault', `${report.settled_after_s} s`],
    ['clock moved meanwhile', `${report.clock_moved_s} s`],
  ]
  const width = Math.max(...rows.map(([name]) => name.length))
  const table = rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n')
  const shown = report.problems.slice(0, 40).map((problem) => `- ${problem}`)
  const verdict =
    report.problems.length === 0
      ? 'Position and books agree for every owner; nothing is lost, nothing is doubled.'
      : `${report.problems.length} things are wrong:\n${shown.join('\n')}`
  return `${table}\n\n${verdict}`
}

/** The command that repeats the choices. Their timing differs. */
export function howToRepeat({ seed, backend, kills, sent }: ChaosReport): string {
  return `npm run chaos -- --seed ${seed} --backend ${backend} --events ${sent['copies sent']} --kills ${kills}`
}

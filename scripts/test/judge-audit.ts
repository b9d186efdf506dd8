import { z } from 'zod'

/** Without it the source did not answer. */
const reportSchema = z.object({ vulnerabilities: z.record(z.string(), z.object({ severity: z.string() })) })

/**
 * Judges the report of `npm audit --omit=dev --json`, which may be empty. High and critical vulnerabilities
 * fail; others are listed. A source that does not answer is reported and fails nothing.
 */
export function judgeAudit(report: string): { readonly text: string; readonly isBad: boolean } {
  const { data } = reportSchema.safeParse(JSON.parse(report || 'null'))
  if (!data)
    return { text: 'vulnerabilities: not looked up, because no audit source answers here', isBad: false }
  const found = Object.entries(data.vulnerabilities).map(([name, { severity }]) => ({ name, severity }))
  const isBad = found.some(({ severity }) => severity === 'high' || severity === 'critical')
  const names = found.map(({ name, severity }) => `\n  ${severity}: ${name}`)
  return { text: `vulnerabilities in what runs in production:${names.join('') || ' none known'}`, isBad }
}

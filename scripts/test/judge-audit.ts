import { z } from 'zod'

const reportSchema = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({
      severity: z.enum(['info', 'low', 'moderate', 'high', 'critical']),
      via: z.array(z.union([z.string(), z.object({ title: z.string(), url: z.string().optional() })])),
    }),
  ),
})

/**
 * Judges the report of `npm audit --omit=dev --json`. High and critical vulnerabilities fail; others are
 * listed. A source that does not answer is reported and fails nothing.
 */
export function judgeAudit(report: string): { readonly text: string; readonly isBad: boolean } {
  const parsed = reportSchema.safeParse(parseJson(report))
  if (!parsed.success) {
    return { text: 'vulnerabilities: not looked up, because no audit source answers here', isBad: false }
  }
  const found = Object.entries(parsed.data.vulnerabilities)
  if (found.length === 0)
    return { text: 'vulnerabilities: none known in what runs in production', isBad: false }
  const lines = found.map(([name, { severity, via }]) => {
    const causes = via.map((cause) => (typeof cause === 'string' ? `through ${cause}` : nameOf(cause)))
    return `  ${severity}: ${name}: ${causes.join('; ')}`
  })
  const isBad = found.some(([, { severity }]) => severity === 'high' || severity === 'critical')
  return { text: ['vulnerabilities in what runs in production:', ...lines].join('\n'), isBad }
}

function nameOf({ title, url }: { title: string; url?: string | undefined }): string {
  return url ? `${title} (${url})` : title
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

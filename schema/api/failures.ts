import * as z from 'zod/mini'

/** The figures and ids of a failure, or what a vendor says, as it says it. */
export type FailureFigures = Readonly<Record<string, string | number | null>>

const figuresSchema = z.record(z.string(), z.union([z.string(), z.number(), z.null()]))

/**
 * Why something failed, as rows keep it: a code and its figures, `stripe_refuses {"says":"…"}`. The words are
 * in `web/content/support/failures.ts`.
 */
export function failureOf(code: string, figures: FailureFigures = {}): string {
  return Object.keys(figures).length === 0 ? code : `${code} ${JSON.stringify(figures)}`
}

/** Null for a text of another form: what a defect says, which is shown as it is. */
export function parseFailure(text: string): { code: string; figures: FailureFigures } | null {
  const [, code, json] = /^([a-z]+(?:_[a-z]+)*)(?: (\{.*\}))?$/s.exec(text) ?? []
  if (!code) return null
  try {
    return { code, figures: figuresSchema.parse(JSON.parse(json ?? '{}')) }
  } catch {
    return null
  }
}

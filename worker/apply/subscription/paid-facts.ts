import { z } from 'zod'

/** What one paid invoice paid for. None of it can change any more. */
export type PaidFact = PaidPeriod | PaidSeats

interface PaidFactFields {
  readonly invoice_id: string
  /** The period's start, or the moment when the seats changed. */
  readonly starts_at: Date
  readonly ends_at: Date
  readonly seats: number
  /** Minor units. */
  readonly amount_paid_minor: number
  readonly paid_at: Date
}

/** A period with its seats: the first, a renewal, or one that began when the billing frequency changed. */
export interface PaidPeriod extends PaidFactFields {
  readonly kind: 'period'
}

/** Another number of seats for the rest of a period, which Stripe prorated. */
export interface PaidSeats extends PaidFactFields {
  readonly kind: 'seats'
  readonly seats_before: number
}

const seconds = z.number().transform((value) => new Date(value * 1000))

const lineSchema = z.object({
  amount: z.int(),
  quantity: z.int().nullable(),
  period: z.object({ start: seconds, end: seconds }),
  parent: z
    .object({
      subscription_item_details: z.object({ proration: z.boolean() }).nullish(),
      invoice_item_details: z
        .object({ proration: z.boolean(), subscription: z.string().nullish() })
        .nullish(),
    })
    .nullable(),
})
type Line = z.infer<typeof lineSchema>

const invoiceSchema = z.object({
  id: z.string(),
  amount_paid: z.int(),
  created: seconds,
  status_transitions: z.object({ paid_at: seconds.nullable() }),
  lines: z.object({ data: z.array(lineSchema) }),
})

/** Reads a paid invoice; an invoice may hold a period and prorated changes both. */
export function paidFactsOf(raw: unknown): PaidFact[] {
  const invoice = invoiceSchema.parse(raw)
  const fields = {
    invoice_id: invoice.id,
    amount_paid_minor: Math.max(0, invoice.amount_paid),
    paid_at: invoice.status_transitions.paid_at ?? invoice.created,
  }
  const facts: PaidFact[] = []
  for (const line of invoice.lines.data.filter((candidate) => prorationOf(candidate) === false)) {
    facts.push({ ...fields, kind: 'period', ...periodOf(line), seats: line.quantity ?? 1 })
  }
  for (const [, lines] of Map.groupBy(prorated(invoice.lines.data), (line) => line.period.start.getTime())) {
    // Stripe takes the old quantity back and charges the new one, both from the moment of the change.
    const taken = lines.find((line) => line.amount < 0)
    const charged = lines.find((line) => line.amount > 0)
    if (!taken || !charged || taken.quantity === null || charged.quantity === null) continue
    facts.push({
      ...fields,
      kind: 'seats',
      ...periodOf(charged),
      seats_before: taken.quantity,
      seats: charged.quantity,
    })
  }
  // A change in the very second in which its period ends paid for nothing.
  return facts.filter((fact) => fact.starts_at < fact.ends_at)
}

function prorated(lines: readonly Line[]): Line[] {
  return lines.filter((line) => prorationOf(line) === true)
}

function prorationOf(line: Line): boolean | undefined {
  return line.parent?.subscription_item_details?.proration ?? line.parent?.invoice_item_details?.proration
}

function periodOf(line: Line): { starts_at: Date; ends_at: Date } {
  return { starts_at: line.period.start, ends_at: line.period.end }
}

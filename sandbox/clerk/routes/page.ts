import { z } from 'zod'

export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(10),
  offset: z.coerce.number().int().min(0).default(0),
})

/** The part of a list that was asked for, and the size of the whole. */
export function page<Row, Shown>(
  rows: readonly Row[],
  { limit, offset }: z.output<typeof pageQuery>,
  show: (row: Row) => Shown,
): { data: Shown[]; total_count: number } {
  return { data: rows.slice(offset, offset + limit).map(show), total_count: rows.length }
}

export function newestFirst<Row extends { created_at: number }>(rows: readonly Row[]): Row[] {
  // Rows come in the order in which they were added, so equal times are put in order by turning it round first.
  return [...rows].reverse().sort((a, b) => b.created_at - a.created_at)
}

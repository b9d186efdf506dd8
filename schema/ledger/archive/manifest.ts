import { createHash } from 'node:crypto'
import { z } from 'zod'

export const manifestName = 'manifest.json'

const digest = z.string().regex(/^[0-9a-f]{64}$/)
const count = z.int().min(0)

const fileSchema = z.strictObject({
  /** In the folder of the manifest. */
  name: z.string().regex(/^[a-z0-9_]+\.copy\.gz$/),
  table: z.string(),
  /** Null for what is not of a month. */
  month: z.string().nullable(),
  columns: z.array(z.string()).min(1),
  rows: count,
  bytes: count,
  /** Of the file as it lies there. */
  sha256: digest,
})

/** What a folder with some months of the ledger holds, and what has to come out when it is proven. */
export const manifestSchema = z.strictObject({
  format: z.literal(1),
  archive: z.int().min(1),
  first_transfer_id: count,
  end_transfer_id: count,
  months: z.array(z.string()).min(1),
  transfers: count,
  entries: count,
  /** Which stay in the database. */
  keys: count,
  heads_digest_before: digest,
  heads_digest: digest,
  kept_digest: digest,
  /** Null in the first archive of a ledger. */
  previous_manifest_sha256: digest.nullable(),
  closed_at: z.iso.datetime(),
  files: z.array(fileSchema),
})
export type Manifest = z.infer<typeof manifestSchema>
export type ArchivedFile = z.infer<typeof fileSchema>

/** The bytes of the file: its digest is in the next manifest and in the database. */
export function printManifest(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 2)}\n`
}

export function digestManifest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { pgDump } from '@electric-sql/pglite-tools/pg_dump'
import { Kysely, PostgresDialect } from 'kysely'
import { PostgresDialect as CodegenDialect, generate, RawExpressionNode } from 'kysely-codegen'
import pg from 'pg'
import { transferKinds } from '../schema/ledger/accounts.ts'
import { subscriptionStatuses } from '../schema/stripe/statuses.ts'

const databaseFolder = join(import.meta.dirname, '../schema/database')

export const generatedFiles = {
  types: join(databaseFolder, 'types.ts'),
  dump: join(databaseFolder, 'schema.sql'),
} as const

const union = (words: readonly string[]) => words.map((word) => `"${word}"`).join(' | ')
const owners = union(['user', 'organization'])

/** Columns that are `text` with a CHECK, and views, whose columns Postgres reports as nullable. */
const planTypes = union(['pro', 'teams'])
const frequencies = union(['monthly', 'yearly'])
const currencies = union(['EUR', 'USD', 'GBP'])
const roles = union(['admin', 'member'])
const ownerAccounts = union(['plan', 'purchased'])
const grantKinds = union(['purchase', 'month', 'seats', 'late_month', 'adjustment', 'legacy'])

const columnTypes: Record<string, string> = {
  'users.plan_type': `Generated<${union(['starter', 'pro', 'teams'])}>`,
  'checkout_intents.kind': union(['credit_purchase', 'subscription']),
  'checkout_intents.currency': currencies,
  'checkout_intents.owner_kind': owners,
  'checkout_intents.plan_type': `${planTypes} | null`,
  'checkout_intents.billing_frequency': `${frequencies} | null`,
  'checkout_intents.state': `Generated<${union(['created', 'open', 'awaiting_payment', 'settled', 'failed', 'expired'])}>`,
  'checkout_waiting.kind': union(['credit_purchase', 'subscription']),
  'inbox_events.source': union(['stripe', 'clerk']),
  'inbox_events.state': `Generated<${union(['received', 'applied', 'ignored', 'failed', 'forged'])}>`,
  'inbox_events.received_via': `Generated<${union(['webhook', 'reader'])}>`,
  'inbox_waiting.source': union(['stripe', 'clerk']),
  'cursors.name': union(['stripe_events', 'seats']),
  'stripe_customers.owner_kind': owners,
  'customer_creations.owner_kind': owners,
  'subscriptions.owner_kind': owners,
  'paid_invoice_lines.owner_kind': owners,
  'charges.owner_kind': owners,
  'subscriptions.plan_type': planTypes,
  'subscriptions.billing_frequency': frequencies,
  'subscriptions.currency': currencies,
  'subscriptions.status': union(subscriptionStatuses),
  'paid_invoice_lines.kind': union(['period', 'seats']),
  'organization_members.role': roles,
  'seats.role': roles,
  'seats.status': union(['active', 'pending', 'revoked', 'expired']),
  'team_invitations.role': roles,
  'team_invitations.status': union(['pending', 'accepted', 'expired', 'revoked']),
  'reconciliation_runs.state': union(['waiting', 'running', 'done', 'failed']),
  'reconciliation_findings.owner_kind': `${owners} | null`,
  'support_acts.kind': union(['replay', 'resync', 'adjust', 'cancel_intent', 'resend_invitation', 'forget']),
  'support_acts.target_kind': union([
    'event',
    'intent',
    'subscription',
    'invitation',
    'charge',
    'user',
    'organization',
  ]),
  'support_acts.owner_kind': `${owners} | null`,
  'support_acts.state': union(['waiting_for_approval', 'queued', 'done', 'failed', 'refused']),
  'audit_log.outcome': union(['requested', 'approved', 'refused', 'denied', 'done', 'failed']),
  'audit_log.owner_kind': `${owners} | null`,
  'ledger_accounts.owner_kind': union(['user', 'organization', 'house']),
  'ledger_owners.owner_kind': owners,
  'ledger_transfers.kind': union(transferKinds),
  'ledger_archives.state': `Generated<${union(['closed', 'written', 'detached', 'finished'])}>`,
  'ledger_grants.owner_kind': owners,
  'ledger_grants.account': ownerAccounts,
  'ledger_grants.kind': grantKinds,
  'ledger_months_used.owner_kind': owners,
  'ledger_balances.owner_kind': owners,
  'ledger_balances.owner_id': 'string',
  'ledger_balances.account': ownerAccounts,
  'ledger_balances.account_id': 'number',
  'ledger_balances.version': 'number',
  'ledger_balances.balance': 'number',
  'ledger_grant_sums.id': 'string',
  'ledger_grant_sums.owner_kind': owners,
  'ledger_grant_sums.owner_id': 'string',
  'ledger_grant_sums.account': ownerAccounts,
  'ledger_grant_sums.kind': grantKinds,
  'ledger_grant_sums.created_at': 'Timestamp',
  'ledger_grant_sums.gross': 'number',
  'ledger_grant_sums.refunded': 'number',
  'ledger_grant_sums.disputed': 'number',
  'ledger_grant_sums.expired': 'number',
  'ledger_grant_sums.written_off': 'number',
  'ledger_grant_sums.adjusted': 'number',
  'ledger_grant_sums.transfers': 'number',
}

export async function renderDatabaseTypes(connectionString: string): Promise<string> {
  const pool = new pg.Pool({ connectionString, max: 2 })
  // Postgres may be stopped before the last idle connection has been told.
  pool.on('error', () => undefined)
  const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  try {
    return await generate({
      db,
      dialect: new CodegenDialect(),
      defaultSchemas: ['public'],
      excludePattern: '{bullmq.*,kysely_*}',
      typeMapping: { int8: 'number' },
      overrides: {
        columns: Object.fromEntries(
          Object.entries(columnTypes).map(([column, type]) => [column, new RawExpressionNode(type)]),
        ),
      },
      outFile: null,
    })
  } finally {
    await db.destroy()
  }
}

/** The set of monthly partitions depends on the date. */
const withoutPartitions = ['ledger_transfers', 'ledger_entries', 'ledger_reports'].flatMap((table) =>
  ['2*', 'early'].map((name) => `--exclude-table=public.${table}_${name}`),
)

/**
 * The whole schema as one readable file, made by pg_dump from the migrations. A Postgres client cannot be
 * expected on every machine, so pg_dump is the WebAssembly one and dumps an in-memory Postgres.
 */
export async function renderSchemaDump(): Promise<string> {
  const database = await PGlite.create()
  const migrations = join(databaseFolder, 'migrations')
  for (const name of (await readdir(migrations)).sort()) {
    await database.exec(await readFile(join(migrations, name), 'utf8'))
  }
  const dump = await pgDump({ pg: database, args: ['--schema-only', '--no-owner', ...withoutPartitions] })
  const text = await dump.text()
  return text
    .split('\n')
    .filter((line) => !/^(--|SET |SELECT pg_catalog\.set_config|\\(un)?restrict)/.test(line))
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trimStart()
}

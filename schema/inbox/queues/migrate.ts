import { runMigrations } from 'bullmq'
import type { PoolClient } from 'pg'

/** Where BullMQ keeps its queues when they live in Postgres. */
export const queueSchema = 'bullmq'

/**
 * Brings BullMQ's own tables up to date and lets the server and the worker use them. They are made whether or
 * not the queues run on Redis, so that switching back and forth needs no migration.
 */
export async function migrateQueues(client: PoolClient): Promise<void> {
  await runMigrations(client, queueSchema)
  await client.query(`
    GRANT USAGE ON SCHEMA ${queueSchema} TO tidemark_server, tidemark_worker;
    GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA ${queueSchema} TO tidemark_server, tidemark_worker;
    GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA ${queueSchema} TO tidemark_server, tidemark_worker;
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA ${queueSchema} TO tidemark_server, tidemark_worker;`)
}

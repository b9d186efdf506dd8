import pg from 'pg'
import { vi } from 'vitest'

export interface ExplainedStatement {
  readonly text: string
  /** Pages of tables and indexes, from memory or disk. */
  readonly pages: number
  /** Run by a function, and counted there too. */
  readonly isNested: boolean
  /** A line for each node that read pages. */
  readonly plan: string
}

/** The EXPLAIN (ANALYZE, BUFFERS) of each real statement, sent to its client. */
const explained = [
  `session_preload_libraries = 'auto_explain'`,
  `auto_explain.log_min_duration = 0`,
  `auto_explain.log_analyze = on`,
  `auto_explain.log_buffers = on`,
  `auto_explain.log_timing = off`,
  `auto_explain.log_nested_statements = on`,
  `auto_explain.log_format = 'json'`,
  `client_min_messages = 'log'`,
  // Otherwise they fill the server's own log as well.
  `log_min_messages = 'fatal'`,
]

/** Explains every statement of sessions that begin from now on. Needs a superuser. */
export async function recordPages(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const name = new URL(url).pathname.slice(1)
  await client.query(`LOAD 'auto_explain'`)
  for (const setting of explained) await client.query(`ALTER DATABASE ${name} SET ${setting}`)
  await client.end()

  let statements: ExplainedStatement[] | null = null
  const connect = pg.Client.prototype.connect
  const spy = vi.spyOn(pg.Client.prototype, 'connect').mockImplementation(function (
    this: pg.Client,
    ...args: unknown[]
  ) {
    this.on('notice', (notice) => {
      const statement = statements && parseNotice(notice)
      if (statement) statements?.push(statement)
    })
    return Reflect.apply(connect, this, args)
  })
  // One that is closed because it was idle is followed by one that reads the catalogue anew.
  const open = pg.Pool.prototype.connect
  const warm = vi.spyOn(pg.Pool.prototype, 'connect').mockImplementation(function (
    this: pg.Pool,
    ...args: unknown[]
  ) {
    this.options.idleTimeoutMillis = 0
    return Reflect.apply(open, this, args)
  })
  return {
    /** Every statement of this process' connections while `work` ran, including those inside functions. */
    async during(work: () => Promise<unknown>) {
      const seen: ExplainedStatement[] = []
      statements = seen
      try {
        await work()
      } finally {
        statements = null
      }
      return seen
    },
    stop() {
      spy.mockRestore()
      warm.mockRestore()
    },
  }
}

interface Notice {
  readonly message?: string | undefined
  /** The functions that were running. */
  readonly where?: string | undefined
}

interface Explained {
  readonly 'Query Text': string
  readonly Plan: PlanNode
}

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  /** Including its children. */
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly PlanNode[]
}

function parseNotice({ message, where }: Notice): ExplainedStatement | null {
  const [, json] = message?.split(' plan:\n', 2) ?? []
  if (!json || !message?.startsWith('duration: ')) return null
  const { 'Query Text': text, Plan } = JSON.parse(json) as Explained
  return {
    text: text.replaceAll(/\s+/g, ' ').trim(),
    pages: pagesOf(Plan),
    plan: nodesOf(Plan).join('\n'),
    // The look-ups of foreign keys have a context too, but no statement's plan contains them.
    isNested: /\bfunction\b/.test(where ?? ''),
  }
}

function pagesOf(node: PlanNode): number {
  return node['Shared Hit Blocks'] + node['Shared Read Blocks']
}

function nodesOf(node: PlanNode, depth = 0): string[] {
  const pages = pagesOf(node)
  if (pages === 0) return []
  const name = [node['Node Type'], node['Index Name'], node['Relation Name']].filter(Boolean).join(' ')
  const line = `${'  '.repeat(depth)}${name}: ${pages} pages, ${node['Actual Rows']} rows × ${node['Actual Loops']}`
  return [line, ...(node.Plans ?? []).flatMap((child) => nodesOf(child, depth + 1))]
}

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { SyntaxNode } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'
import { Counter, type Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { createServerMetrics } from '../../server/metrics.ts'
import { createWorkerMetrics } from '../../worker/metrics.ts'
import { taskNames } from '../../worker/tasks/schedule.ts'
import { repositoryRoot } from '../launch/script.ts'

const read = (path: string) => readFile(join(repositoryRoot, 'docs', path), 'utf8')

const alertSchema = z.strictObject({
  alert: z.string(),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.strictObject({ severity: z.enum(['page', 'ticket']) }),
  annotations: z.strictObject({ summary: z.string(), runbook_url: z.string() }),
})
const rulesSchema = z.strictObject({
  groups: z.array(z.strictObject({ name: z.string(), rules: z.array(alertSchema) })),
})
const targetSchema = z.looseObject({ expr: z.string(), datasource: z.looseObject({ uid: z.string() }) })
const panelSchema = z.looseObject({
  title: z.string(),
  type: z.string(),
  targets: z.array(targetSchema).optional(),
})
const dashboardSchema = z.looseObject({
  uid: z.string(),
  panels: z.array(panelSchema),
  templating: z.object({ list: z.array(z.looseObject({ name: z.string(), type: z.string() })) }),
})

const alerts = rulesSchema
  .parse(parse(await read('operations/alerts.yml')))
  .groups.flatMap(({ rules }) => rules)
const dashboard = dashboardSchema.parse(JSON.parse(await read('operations/grafana-dashboard.json')))
const runbook = await read('operations.md')

const expressions = [
  ...alerts.map(({ alert, expr }) => ({ where: alert, expr })),
  ...dashboard.panels.flatMap(({ title, targets = [] }) =>
    // Grafana puts a time in its place.
    targets.map(({ expr }) => ({ where: title, expr: expr.replaceAll('$__rate_interval', '5m') })),
  ),
]

/** Every series that the processes have, with its labels; `up` is Prometheus's own. */
const series = new Map<string, ReadonlySet<string>>([['up', new Set()]])
/** What the exporters that the document names publish, by their own sources and mixins. */
const exporters = {
  'prometheus/node_exporter': {
    node_filesystem_avail_bytes: ['device', 'fstype', 'mountpoint'],
    node_filesystem_size_bytes: ['device', 'fstype', 'mountpoint'],
    node_timex_offset_seconds: [],
    node_timex_sync_status: [],
    node_timex_maxerror_seconds: [],
  },
  'prometheus-community/postgres_exporter': {
    pg_stat_activity_count: ['datname', 'state'],
    pg_settings_max_connections: ['server'],
  },
  'oliver006/redis_exporter': {
    redis_memory_used_bytes: [],
    redis_memory_max_bytes: [],
    redis_total_system_memory_bytes: [],
  },
  'prometheus/blackbox_exporter': { probe_ssl_earliest_cert_expiry: [] },
}
for (const published of Object.values(exporters))
  for (const [name, labels] of Object.entries(published)) series.set(name, new Set(labels))
for (const registry of [createServerMetrics().registry, createWorkerMetrics().registry]) addSeries(registry)

function addSeries(registry: Registry): void {
  for (const metric of registry.getMetricsAsArray()) {
    const labels = new Set('labelNames' in metric ? (metric.labelNames as string[]) : [])
    const isHistogram = (metric.type as unknown) === 'histogram'
    for (const suffix of isHistogram ? ['_count', '_sum'] : ['']) series.set(metric.name + suffix, labels)
    if (isHistogram) series.set(`${metric.name}_bucket`, new Set([...labels, 'le']))
  }
}

/** Prometheus adds these to every series that it collects. */
const ofPrometheus = ['job', 'instance']

/** The problems of a PromQL expression. */
function faultsOf(expr: string): string[] {
  const faults: string[] = []
  const text = (node: SyntaxNode) => expr.slice(node.from, node.to)
  const names = new Set<string>()
  const labels = new Set<string>()
  parser.parse(expr).iterate({
    enter({ node }) {
      if (node.type.isError)
        faults.push(`it cannot be read at ${node.from}: ${expr.slice(node.from, node.from + 20)}`)
      if (node.name === 'VectorSelector') {
        const name = node.getChild('Identifier')
        if (name) names.add(text(name))
        else faults.push('a selector names no metric')
      }
      if (node.name === 'LabelName') labels.add(text(node))
    },
  })
  if (names.size === 0) faults.push('it names no metric')
  for (const name of names) if (!series.has(name)) faults.push(`no process has ${name}`)
  const known = new Set([...ofPrometheus, ...[...names].flatMap((name) => [...(series.get(name) ?? [])])])
  for (const label of labels) if (!known.has(label)) faults.push(`${[...names]} has no label ${label}`)
  return faults
}

/** As GitHub makes an anchor of a heading. */
const anchors = new Set(
  [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  ),
)

describe('the alert rules and the dashboard', () => {
  test.each(Object.keys(exporters))('the runbook names the exporter %s', (exporter) => {
    expect(runbook).toContain(`https://github.com/${exporter}`)
  })

  test.each(expressions)(
    'a panel or rule at $where uses metrics that the processes or named exporters publish: $expr',
    ({ expr }) => {
      expect(faultsOf(expr)).toEqual([])
    },
  )

  test('a metric or a label that no process has, and what is no PromQL, is noticed', () => {
    expect(faultsOf('sum(rate(tidemark_inbox_lost_total[5m]))')).toEqual([
      'no process has tidemark_inbox_lost_total',
    ])
    expect(faultsOf('sum by (colour) (tidemark_queue_jobs)')).toEqual([
      'tidemark_queue_jobs has no label colour',
    ])
    expect(faultsOf('tidemark_event_seconds')).toEqual(['no process has tidemark_event_seconds'])
    expect(faultsOf('sum(tidemark_queue_jobs')).not.toEqual([])
  })
})

test('every counter with labels begins at 0, so that its first increase is one', async () => {
  const registries = [createServerMetrics().registry, createWorkerMetrics().registry]
  const counters = registries
    .flatMap((registry) => registry.getMetricsAsArray())
    .filter((metric) => metric instanceof Counter)
    .filter(({ name }) => name.startsWith('tidemark_'))
  expect(counters.length).toBeGreaterThan(5)
  for (const counter of counters) {
    const { values } = await counter.get()
    const areZero = values.length > 0 && values.every(({ value }) => value === 0)
    expect([counter.name, areZero]).toEqual([counter.name, true])
  }
})

test('every series that an alert waits for is there from the beginning', async () => {
  const text = [
    await createServerMetrics().registry.metrics(),
    await createWorkerMetrics().registry.metrics(),
  ].join('\n')
  const waited = alerts.flatMap(({ expr }) => [...expr.matchAll(/increase\((\w+)(?:\{([^}]*)\})?\[/g)])
  expect(waited.length).toBeGreaterThan(5)
  for (const [, name = '', matchers = ''] of waited) {
    const has = text.split('\n').filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    const isMeant = (line: string) =>
      [...matchers.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)].every(([, label, operator, value = '']) => {
        const [, given = ''] = new RegExp(`[{,]${label}="([^"]*)"`).exec(line) ?? []
        if (operator === '!=') return given !== value
        return operator === '=' ? given === value : new RegExp(`^(?:${value})$`).test(given)
      })
    expect([name, matchers, has.some(isMeant)]).toEqual([name, matchers, true])
  }
})

describe('every alert', () => {
  test.each(alerts)('the alert $alert has a section of its own in the runbook', ({ alert, annotations }) => {
    const [file, anchor = ''] = annotations.runbook_url.split('#')
    expect(file).toBe('docs/operations.md')
    expect(anchor).toBe(alert.toLowerCase())
    expect(anchors).toContain(anchor)
  })

  test('every alert is in the runbook, and no other', () => {
    const part = runbook.slice(runbook.indexOf('\n## Alarms'))
    const headings = [...part.slice(0, part.indexOf('\n## ', 1)).matchAll(/^### (\w+)$/gm)].map(
      ([, name]) => name,
    )
    expect(headings.sort()).toEqual(alerts.map(({ alert }) => alert).sort())
  })
})

test('the dashboard’s panels have a data source that is chosen at import', () => {
  expect(dashboard.templating.list).toContainEqual(
    expect.objectContaining({ name: 'datasource', type: 'datasource', query: 'prometheus' }),
  )
  const panels = dashboard.panels.filter(({ type }) => type !== 'row')
  for (const { title, targets = [] } of panels) {
    expect([title, targets.length > 0]).toEqual([title, true])
    expect(targets.every(({ datasource }) => datasource.uid === `\${datasource}`)).toBe(true)
  }
  const ids = dashboard.panels.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
})

test('the table of what runs by the clock lists no task that the worker does not have', () => {
  const [, section = ''] = runbook.split('## What runs by the clock')
  const [table = ''] = section.split('\n## ')
  const listed = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)
  expect(listed.length).toBeGreaterThan(5)
  expect(listed.filter((name) => !new Set<string | undefined>(taskNames).has(name))).toEqual([])
})

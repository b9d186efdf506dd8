import type { UseQueryResult } from '@tanstack/react-query'
import { ChartNoAxesColumn } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import {
  exportUsageReport,
  type UsageGroup,
  type UsageReport,
  type UsageRow,
} from '../../../schema/api/usage.ts'
import { useApi } from '../../api/ApiProvider.tsx'
import type { UsageQuestion } from '../../api/billing.ts'
import type { Payer } from '../../components/account/usePayer.ts'
import { EditorLink } from '../../components/EditorLink.tsx'
import { ExportButton } from '../../components/ExportButton.tsx'
import { formatCredits, formatDate, formatShare } from '../../components/format.ts'
import { Loaded } from '../../components/Loaded.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card, CardHeader } from '../../ui/Card.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Select } from '../../ui/Select.tsx'
import { Cell, Table } from '../../ui/Table.tsx'

const groupNames: Readonly<Record<UsageGroup, string>> = {
  day: 'Day',
  model: 'Model',
  project: 'Project',
  editor: 'Editor',
  person: 'Person',
}

interface UsageBreakdownProps {
  payer: Payer
  report: UseQueryResult<UsageReport>
  question: UsageQuestion
  /** What the reader may group by. */
  groups: readonly UsageGroup[]
  onGroup: (group: UsageGroup) => void
  /** Missing where the longest range is shown. */
  onLonger: (() => void) | undefined
}

export function UsageBreakdown({ payer, report, question, groups, onGroup, onLonger }: UsageBreakdownProps) {
  const api = useApi()
  const isMember = payer.organizationName !== null && !payer.mayManage
  return (
    <Card aria-labelledby="breakdown-title">
      <CardHeader
        id="breakdown-title"
        title={isMember ? 'Your usage' : 'Usage breakdown'}
        description={`${formatDate(question.from)} to ${formatDate(question.to)} (UTC)`}
        action={
          <ExportButton
            name={`usage-by-${question.group_by}`}
            failure="Failed to export your usage"
            load={() => api(exportUsageReport, { query: { payer: payer.payer, ...question, format: 'csv' } })}
          />
        }
      />
      <div className="flex items-center gap-2 px-5 py-4 text-muted text-sm sm:px-6">
        <span aria-hidden="true">Group by</span>
        <Select
          label="Group by"
          value={question.group_by}
          options={groups.map((group) => [group, groupNames[group]])}
          onChange={onGroup}
          className="w-36 text-ink"
        />
      </div>
      <Loaded query={report} what="your usage" skeleton="h-60">
        {(data) =>
          data.rows.length > 0 ? (
            <div aria-busy={report.isPlaceholderData || undefined} className="aria-busy:opacity-60">
              <Rows report={data} />
            </div>
          ) : (
            <EmptyState
              icon={ChartNoAxesColumn}
              title="No usage in this range"
              className="border-t py-12"
              action={
                onLonger ? (
                  <Button variant="secondary" size="small" onClick={onLonger}>
                    Show 90 days
                  </Button>
                ) : (
                  <EditorLink />
                )
              }
            >
              Requests made in an editor appear here.
            </EmptyState>
          )
        }
      </Loaded>
    </Card>
  )
}

/** While another grouping is loading, it has the one before. */
function Rows({ report: { group_by, rows, total } }: { report: UsageReport }) {
  const name = groupNames[group_by]
  return (
    <Table
      className="border-t last:rounded-b-card"
      caption={`Usage by ${name.toLowerCase()}`}
      columns={[
        { name, namesRow: true },
        { name: 'Requests', align: 'right' },
        { name: 'Failed', align: 'right', isWide: true },
        { name: 'Credits', align: 'right' },
        { name: 'Share', align: 'right', isWide: true },
      ]}
    >
      <tbody className="divide-y divide-line">
        {rows.map((row, index) => (
          // Two people of one name may each have a row of an editor without an id.
          <tr key={row.id ?? index} className="transition-colors hover:bg-sunken">
            <Cell of={name} className="w-full max-w-0">
              <Label row={row} group={group_by} />
            </Cell>
            <Figures sums={row} />
            <Cell of="Share">
              <Share of={total.credits} credits={row.credits} />
            </Cell>
          </tr>
        ))}
      </tbody>
      <tfoot className="border-t font-medium">
        <tr>
          <Cell of={name} className="font-medium">
            Total
            <FailedNote failed={total.failed} />
          </Cell>
          <Figures sums={total} />
          <Cell of="Share" />
        </tr>
      </tfoot>
    </Table>
  )
}

function Figures({ sums }: { sums: UsageReport['total'] }) {
  return (
    <>
      <Cell of="Requests">{formatCredits(sums.requests)}</Cell>
      <Cell of="Failed">{formatCredits(sums.failed)}</Cell>
      <Cell of="Credits">{formatCredits(sums.credits)}</Cell>
    </>
  )
}

function Label({ row: { label, note, failed }, group }: { row: UsageRow; group: UsageGroup }) {
  return (
    <>
      <p className="font-medium [overflow-wrap:anywhere]">
        {group === 'day' ? formatDate(label) : breakable(label)}
      </p>
      {note !== null && <p className="font-normal text-faint text-xs [overflow-wrap:anywhere]">{note}</p>}
      <FailedNote failed={failed} />
    </>
  )
}

/** An email address or a name with a version breaks after `@`, `.`, `/` or `_` rather than within a word. */
function breakable(label: string): ReactNode[] {
  return [...label.matchAll(/[^@./_]+[@./_]*|[@./_]+/g)].map(({ 0: part, index }) => (
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ))
}

/** Where there is no room for the column. */
function FailedNote({ failed }: { failed: number }) {
  if (failed === 0) return null
  return <p className="font-normal text-faint text-xs @2xl:hidden">{formatCredits(failed)} failed</p>
}

function Share({ of, credits }: { of: number; credits: number }) {
  const share = of === 0 ? 0 : credits / of
  return (
    <div className="flex items-center justify-end gap-3">
      <div aria-hidden="true" className="h-2 w-24 overflow-hidden rounded-full bg-hover">
        <div className="h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
      </div>
      <span className="w-10">{formatShare(share)}</span>
    </div>
  )
}

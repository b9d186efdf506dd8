import { ExternalLink } from 'lucide-react'
import type { WorkList } from '../../../../schema/api/support.ts'
import { formatCredits } from '../../../components/format.ts'
import { Card } from '../../../ui/Card.tsx'
import { Cell, Table } from '../../../ui/Table.tsx'

/** The length of the queues. Jobs are recreated from rows, so a lost queue loses nothing. */
export function Queues({ queues }: Pick<WorkList, 'queues'>) {
  return (
    <section aria-labelledby="queues-title" className="mt-6">
      <div className="mb-2 flex items-baseline justify-between gap-4">
        <h2 id="queues-title" className="font-semibold text-sm">
          Queues
        </h2>
        {/* Not a page of the web app: the server answers it. */}
        <a
          href="/support/queues/"
          target="_blank"
          rel="noreferrer"
          className="inline-flex items-center gap-1 rounded-sm font-medium text-accent-text text-xs hover:underline"
        >
          Open their jobs
          <ExternalLink aria-hidden="true" className="size-3" />
        </a>
      </div>
      {queues === null ? (
        <p className="text-muted text-sm">The queues do not answer at the moment.</p>
      ) : (
        <Card className="overflow-clip">
          <Table
            size="dense"
            caption="Jobs in each queue"
            columns={[
              { name: 'Queue', namesRow: true },
              { name: 'Waiting', align: 'right' },
              { name: 'Active', align: 'right' },
              { name: 'Delayed', align: 'right' },
              { name: 'Failed', align: 'right' },
            ]}
          >
            <tbody className="divide-y divide-line">
              {queues.map(({ name, waiting, active, delayed, failed }) => (
                <tr key={name}>
                  <Cell of="Queue" className="[overflow-wrap:anywhere]">
                    {name}
                  </Cell>
                  <Cell of="Waiting">{formatCredits(waiting)}</Cell>
                  <Cell of="Active">{formatCredits(active)}</Cell>
                  <Cell of="Delayed">{formatCredits(delayed)}</Cell>
                  <Cell of="Failed" className={failed > 0 ? 'font-medium text-critical' : undefined}>
                    {formatCredits(failed)}
                  </Cell>
                </tr>
              ))}
            </tbody>
          </Table>
        </Card>
      )}
    </section>
  )
}

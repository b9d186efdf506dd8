import { ExternalLink } from 'lucide-react'
import type { WorkList } from '../../../../schema/api/support.ts'
import { formatCredits } from '../../../components/format.ts'

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
        <div className="overflow-clip rounded-card border bg-surface shadow-low">
          <table className="w-full text-sm tabular-nums">
            <thead className="border-b bg-sunken text-faint text-xs">
              <tr className="text-right [&>th]:px-2.5 sm:[&>th]:px-4 [&>th]:py-1.5 [&>th]:font-medium">
                <th scope="col" className="text-left">
                  Queue
                </th>
                <th scope="col">Waiting</th>
                <th scope="col">Active</th>
                <th scope="col">Delayed</th>
                <th scope="col">Failed</th>
              </tr>
            </thead>
            <tbody className="divide-y divide-line">
              {queues.map(({ name, waiting, active, delayed, failed }) => (
                <tr key={name} className="text-right [&>td]:px-2.5 sm:[&>td]:px-4 [&>td]:py-1.5">
                  <th
                    scope="row"
                    className="px-2.5 py-1.5 text-left font-normal sm:px-4 [overflow-wrap:anywhere]"
                  >
                    {name}
                  </th>
                  <td>{formatCredits(waiting)}</td>
                  <td>{formatCredits(active)}</td>
                  <td>{formatCredits(delayed)}</td>
                  <td className={failed > 0 ? 'font-medium text-critical' : undefined}>
                    {formatCredits(failed)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  )
}

import type { WorkList } from '../../../../schema/api/support.ts'
import { formatCredits } from '../../../components/format.ts'

/** How full the queues are. Their jobs are made anew from rows, so a queue that was lost loses nothing. */
export function Queues({ queues }: Pick<WorkList, 'queues'>) {
  return (
    <section aria-labelledby="queues-title" className="mt-6">
      <h2 id="queues-title" className="mb-2 font-semibold text-sm">
        Queues
      </h2>
      {queues === null ? (
        <p className="text-muted text-sm">The queues do not answer at the moment.</p>
      ) : (
        <div className="overflow-clip rounded-card border bg-surface shadow-low">
          <table className="w-full text-sm tabular-nums">
            <thead className="border-b bg-sunken text-faint text-xs">
              <tr className="text-right [&>th]:px-2 sm:[&>th]:px-4 [&>th]:py-1.5 [&>th]:font-medium">
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
                <tr key={name} className="text-right [&>td]:px-2 sm:[&>td]:px-4 [&>td]:py-1.5">
                  <th scope="row" className="px-4 py-1.5 text-left font-normal [overflow-wrap:anywhere]">
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

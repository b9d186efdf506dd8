import { useQuery } from '@tanstack/react-query'
import { Eye } from 'lucide-react'
import type { SupportVisitor } from '../../../../schema/api/support.ts'
import { useApi } from '../../../api/ApiProvider.tsx'
import { visitQuery } from '../../../api/support.ts'
import { utcTime } from '../../../components/support/Moment.tsx'

interface VisitorsProps {
  owner: string
  /** The visitors in the trace's answer. */
  known: readonly SupportVisitor[]
}

/** Reports that the case is open here and shows other visitors, so that two people do not act at once. */
export function Visitors({ owner, known }: VisitorsProps) {
  const visitors = useQuery(visitQuery(useApi(), owner)).data?.visitors ?? known
  return (
    <div role="status">
      {visitors.map(({ user_id, name, since }) => (
        <p
          key={user_id}
          className="mb-3 flex items-center gap-2 rounded-control border border-caution-line bg-caution-soft px-3 py-2 text-sm"
        >
          <Eye aria-hidden="true" className="size-4 shrink-0 text-caution" />
          {name} is looking at this too, since {utcTime(since)}.
        </p>
      ))}
    </div>
  )
}

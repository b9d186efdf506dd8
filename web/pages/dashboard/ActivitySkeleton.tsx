import { Skeleton } from '../../ui/Skeleton.tsx'

const rows = ['one', 'two', 'three', 'four']

export function ActivitySkeleton() {
  return (
    <div role="status" className="space-y-5 px-6 py-6">
      <span className="sr-only">Loading your activity</span>
      {rows.map((row) => (
        <div key={row} className="flex items-center justify-between">
          <div className="space-y-2">
            <Skeleton className="h-4 w-40" />
            <Skeleton className="h-3 w-24" />
          </div>
          <Skeleton className="h-4 w-16" />
        </div>
      ))}
    </div>
  )
}

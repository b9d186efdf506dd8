import { Skeleton } from '../ui/Skeleton.tsx'

const rows = ['one', 'two', 'three', 'four', 'five', 'six']

export function ListSkeleton({ label }: { label: string }) {
  return (
    <div role="status" className="divide-y divide-line">
      <span className="sr-only">{label}</span>
      {rows.map((row) => (
        <div key={row} className="flex h-13 items-center gap-4 px-4">
          <Skeleton className="h-4 w-14" />
          <Skeleton className="h-4 w-1/3" />
          <Skeleton className="ml-auto h-4 w-20" />
        </div>
      ))}
    </div>
  )
}

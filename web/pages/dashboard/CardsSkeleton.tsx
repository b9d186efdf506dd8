import { Card } from '../../ui/Card.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'

export function CardsSkeleton() {
  return (
    <>
      <span role="status" className="sr-only">
        Loading your balance
      </span>
      <Card className="space-y-4 p-6 lg:col-span-3">
        <Skeleton className="h-4 w-32" />
        <Skeleton className="h-12 w-40" />
        <Skeleton className="h-2 w-full" />
        <Skeleton className="h-4 w-56" />
      </Card>
      <Card className="space-y-4 p-6 lg:col-span-2">
        <Skeleton className="h-4 w-24" />
        <Skeleton className="h-8 w-28" />
        <Skeleton className="h-4 w-full" />
        <Skeleton className="h-4 w-40" />
      </Card>
    </>
  )
}

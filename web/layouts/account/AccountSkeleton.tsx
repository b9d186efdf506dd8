import { Skeleton } from '../../ui/Skeleton.tsx'

export function AccountSkeleton() {
  return (
    <div role="status" className="flex min-h-dvh">
      <span className="sr-only">Loading your account</span>
      <div className="hidden w-64 shrink-0 space-y-3 border-r bg-sunken p-4 md:block">
        <Skeleton className="h-8 w-32" />
        <Skeleton className="h-9 w-full" />
        <Skeleton className="mt-6 h-8 w-full" />
        <Skeleton className="h-8 w-full" />
      </div>
      <div className="flex-1">
        <div className="h-14 border-b" />
      </div>
    </div>
  )
}

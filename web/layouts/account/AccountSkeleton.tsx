import { Skeleton } from '../../ui/Skeleton.tsx'

/** The frame of a signed-in page while it is not known yet who is there. */
export function AccountSkeleton() {
  return (
    <div className="flex min-h-dvh">
      <div className="hidden w-64 shrink-0 space-y-3 border-r bg-sunken p-4 md:block">
        <Skeleton className="h-8 w-32" />
        <Skeleton className="h-9 w-full" />
        <Skeleton className="mt-6 h-8 w-full" />
        <Skeleton className="h-8 w-full" />
      </div>
      <div className="flex-1">
        <div className="h-14 border-b" />
        <main id="main" tabIndex={-1} className="mx-auto w-full max-w-5xl px-4 py-8 sm:px-8 sm:py-10">
          <h1 className="sr-only">Loading your account</h1>
          <Skeleton className="h-8 w-40" />
          <Skeleton className="mt-2 h-5 w-32" />
          <div className="mt-7 grid gap-4 sm:gap-5 lg:grid-cols-5">
            <Skeleton className="h-60 rounded-card lg:col-span-3" />
            <Skeleton className="h-60 rounded-card lg:col-span-2" />
            <Skeleton className="h-90 rounded-card lg:col-span-2" />
            <Skeleton className="h-90 rounded-card lg:col-span-3" />
          </div>
        </main>
      </div>
    </div>
  )
}

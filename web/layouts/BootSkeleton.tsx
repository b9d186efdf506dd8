/** Before the settings are there: no name, no theme switch, only calm. */
export function BootSkeleton() {
  return (
    <main className="grid min-h-dvh place-items-center">
      <h1 className="sr-only">Loading</h1>
      <div aria-hidden="true" className="size-10 animate-pulse rounded-[10px] bg-hover" />
    </main>
  )
}

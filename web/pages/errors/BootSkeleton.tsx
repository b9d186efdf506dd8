/** Before the settings are there: no name, no theme switch, only calm. */
export function BootSkeleton() {
  return (
    <div role="status" className="grid min-h-dvh place-items-center">
      <span className="sr-only">Loading</span>
      <div aria-hidden="true" className="size-10 animate-pulse rounded-[10px] bg-hover" />
    </div>
  )
}

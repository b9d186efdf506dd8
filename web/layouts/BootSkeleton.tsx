/** Shown until the settings are loaded, so it can show neither the brand nor the theme switch. */
export function BootSkeleton() {
  return (
    <main className="grid min-h-dvh place-items-center">
      <h1 className="sr-only">Loading</h1>
      <div aria-hidden="true" className="size-10 animate-pulse rounded-[10px] bg-hover" />
    </main>
  )
}

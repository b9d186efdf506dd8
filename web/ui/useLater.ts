import { type ComponentType, useEffect, useState } from 'react'

/** A part that is loaded when the browser is idle, such as a dialog; `undefined` until then. */
export function useLater<Props>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> | undefined {
  const [part, setPart] = useState<{ readonly Part: ComponentType<Props> }>()
  useEffect(() => {
    let wanted = true
    const start = () =>
      void load().then(
        (Part) => wanted && setPart({ Part }),
        // The page is complete without it, and a release that replaced it has reloaded the page.
        () => undefined,
      )
    const stop = whenIdle(start)
    return () => {
      wanted = false
      stop()
    }
  }, [load])
  return part?.Part
}

/** Safari has no requestIdleCallback. */
function whenIdle(work: () => void): () => void {
  if ('requestIdleCallback' in window) {
    const handle = requestIdleCallback(work, { timeout: 2000 })
    return () => cancelIdleCallback(handle)
  }
  const handle = setTimeout(work)
  return () => clearTimeout(handle)
}

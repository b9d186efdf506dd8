import { type ReactNode, useState } from 'react'

interface FixedProps {
  id: string
  /** Left out in the browser, where the server has already rendered it. */
  children: ReactNode
}

/**
 * A part of a page that only the server renders, since nothing in it ever changes. The browser keeps the HTML
 * that it finds, and its script has no code for it: callers pass `import.meta.env.SSR && <Part />`, or also
 * `import.meta.env.DEV` for the development server, which renders nothing.
 */
export function Fixed({ id, children }: FixedProps) {
  const [rendered] = useState(() =>
    typeof document === 'undefined' ? undefined : document.getElementById(id)?.innerHTML,
  )
  if (rendered === undefined) return <div id={id}>{children}</div>
  // biome-ignore lint/security/noDangerouslySetInnerHtml: it is this element's own content.
  return <div id={id} dangerouslySetInnerHTML={{ __html: rendered }} />
}

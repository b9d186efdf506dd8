import { clsx } from 'clsx'
import { ChevronDown } from 'lucide-react'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'

interface DropdownProps {
  label: string
  className: string
  children: ReactNode
}

/**
 * A button of a navigation that shows more links: the "disclosure navigation" of the ARIA Authoring
 * Practices, which is no menu. Escape, a click elsewhere and a focus elsewhere close it; arrow keys go
 * through the links. Our own, because it is loaded with every public page: a library's menu with its
 * positioning is half as large as React.
 */
export function Dropdown({ label, className, children }: DropdownProps) {
  const [open, setOpen] = useState(false)
  const root = useRef<HTMLDivElement>(null)
  const trigger = useRef<HTMLButtonElement>(null)
  const listId = useId()
  useEffect(() => {
    if (!open) return
    const listening = new AbortController()
    const { signal } = listening
    const closeOutside = (event: Event) => {
      if (event.target instanceof Node && !root.current?.contains(event.target)) setOpen(false)
    }
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape') {
        setOpen(false)
        trigger.current?.focus()
      }
      const steps = { ArrowDown: 1, ArrowUp: -1 }[event.key]
      if (!steps) return
      event.preventDefault()
      moveFocus(root.current, steps)
    }
    document.addEventListener('pointerdown', closeOutside, { signal })
    document.addEventListener('focusin', closeOutside, { signal })
    root.current?.addEventListener('keydown', onKeyDown, { signal })
    return () => listening.abort()
  }, [open])
  return (
    <div ref={root} className="relative">
      <button
        ref={trigger}
        type="button"
        aria-expanded={open}
        aria-controls={listId}
        onClick={() => setOpen(!open)}
        className={clsx(className, 'group flex items-center gap-1 aria-expanded:text-ink')}
      >
        {label}
        <ChevronDown
          aria-hidden="true"
          className="size-3.5 transition-transform group-aria-expanded:rotate-180"
        />
      </button>
      <div
        id={listId}
        hidden={!open}
        className="absolute top-full left-1/2 z-40 mt-2 w-64 -translate-x-1/2 animate-fade-in rounded-card border bg-surface p-1.5 shadow-float"
      >
        {children}
      </div>
    </div>
  )
}

function moveFocus(within: Element | null, steps: number): void {
  const stops = [...(within?.querySelectorAll<HTMLElement>('button, a') ?? [])]
  const now = stops.indexOf(document.activeElement as HTMLElement)
  stops[(now + steps + stops.length) % stops.length]?.focus()
}

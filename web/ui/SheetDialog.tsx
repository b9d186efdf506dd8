import { Dialog } from 'radix-ui'
import { type ReactNode, useRef } from 'react'
import { cn } from './cn.ts'
import { overlayStyle } from './dialogStyle.ts'

interface SheetProps {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  /** `side` slides in from the left; `full` covers the screen. */
  shape: 'side' | 'full'
  children: ReactNode
}

/**
 * A modal panel of links, each of which closes it, as Escape does: a link may lead to a place on the page
 * behind. The focus stays inside, and the page behind does not scroll.
 */
export function SheetDialog({ open, onOpenChange, title, shape, children }: SheetProps) {
  const opener = useRef<Element | null>(null)
  return (
    <Dialog.Root open={open} onOpenChange={onOpenChange}>
      <Dialog.Portal>
        <Dialog.Overlay className={overlayStyle} />
        <Dialog.Content
          aria-describedby={undefined}
          onClick={(event) => {
            if (event.target instanceof Element && event.target.closest('a')) onOpenChange(false)
          }}
          // Focuses the panel, so that a screen reader starts at its title and no control looks selected.
          onOpenAutoFocus={(event) => {
            event.preventDefault()
            opener.current = document.activeElement
            if (event.currentTarget instanceof HTMLElement) event.currentTarget.focus()
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault()
            if (opener.current instanceof HTMLElement) opener.current.focus()
          }}
          className={cn(
            'fixed inset-y-0 left-0 z-50 flex flex-col bg-canvas outline-none',
            shape === 'side' ? 'w-72 animate-sheet-in border-r shadow-float' : 'w-full animate-fade-in',
          )}
        >
          <Dialog.Title className="sr-only">{title}</Dialog.Title>
          {/* The scrolling part is one inside, so that a popover may be wider than the panel. */}
          <div className="flex min-h-0 flex-1 flex-col overflow-y-auto">{children}</div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

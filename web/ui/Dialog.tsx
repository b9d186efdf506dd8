import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { Button } from './Button.tsx'
import { cn } from './cn.ts'
import { dialogStyle, overlayStyle } from './dialogStyle.ts'

interface DialogProps {
  onClose: () => void
  title: string
  description: ReactNode
  wide?: boolean
  /** A form, with its own buttons. */
  children: ReactNode
}

/** A small form over the page, as long as it is mounted. Escape or a click outside closes it, and the focus returns. */
export function Dialog({ onClose, title, description, wide, children }: DialogProps) {
  return (
    <Radix.Root open onOpenChange={onClose}>
      <Radix.Portal>
        <Radix.Overlay className={overlayStyle} />
        <Radix.Content className={cn(dialogStyle, wide && 'max-w-xl')}>
          <Radix.Title className="pr-8 font-semibold text-lg">{title}</Radix.Title>
          <Radix.Description className="mt-1 text-muted text-sm leading-relaxed [overflow-wrap:anywhere]">
            {description}
          </Radix.Description>
          <div className="mt-5">{children}</div>
          <Radix.Close asChild>
            <Button variant="quiet" size="icon" aria-label="Close" className="absolute top-4 right-4">
              <X aria-hidden="true" />
            </Button>
          </Radix.Close>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

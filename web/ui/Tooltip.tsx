import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

interface TooltipProps {
  text: string
  side?: 'right' | 'bottom'
  /** Set when the trigger already shows the text. */
  disabled?: boolean
  children: ReactNode
}

export function Tooltip({ text, side = 'bottom', disabled, children }: TooltipProps) {
  if (disabled) return children
  return (
    <Radix.Provider delayDuration={700} skipDelayDuration={300}>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content
            side={side}
            sideOffset={6}
            className="z-50 animate-fade-in rounded-md bg-ink px-2 py-1 font-medium text-canvas text-xs shadow-card"
          >
            {text}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  )
}

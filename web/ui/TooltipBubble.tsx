import { Tooltip } from 'radix-ui'
import { createPortal } from 'react-dom'

export interface TooltipBubbleProps {
  id: string
  text: string
  side: 'right' | 'bottom'
  trigger: Element
  onClose: () => void
}

/** The bubble of a tooltip, beside its trigger. Escape closes it. */
export function TooltipBubble({ id, text, side, trigger, onClose }: TooltipBubbleProps) {
  const { left, top, width, height } = trigger.getBoundingClientRect()
  return createPortal(
    <Tooltip.Provider>
      <Tooltip.Root open onOpenChange={onClose}>
        {/* Radix places the bubble beside an element of its own, so it gets one where the trigger is. */}
        <Tooltip.Trigger asChild>
          <span
            aria-hidden="true"
            className="pointer-events-none fixed"
            style={{ left, top, width, height }}
          />
        </Tooltip.Trigger>
        <Tooltip.Portal>
          <Tooltip.Content
            side={side}
            sideOffset={6}
            className="z-50 animate-fade-in rounded-md bg-ink px-2 py-1 font-medium text-canvas text-xs shadow-card"
          >
            <span id={id}>{text}</span>
          </Tooltip.Content>
        </Tooltip.Portal>
      </Tooltip.Root>
    </Tooltip.Provider>,
    document.body,
  )
}

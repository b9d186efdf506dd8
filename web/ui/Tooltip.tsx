import {
  type ComponentProps,
  cloneElement,
  type ReactElement,
  useEffect,
  useId,
  useRef,
  useState,
} from 'react'
import type { TooltipBubbleProps } from './TooltipBubble.tsx'
import { useLater } from './useLater.ts'

const hoverDelay_ms = 700
/** Within this time after one has closed, the next one opens at once, wherever it is. */
const skipDelay_ms = 300
let closed_at = Number.NEGATIVE_INFINITY
const loadBubble = async () => (await import('./TooltipBubble.tsx')).TooltipBubble

interface TooltipProps {
  text: string
  side?: TooltipBubbleProps['side']
  /** Set when the trigger already shows the text. */
  disabled?: boolean
  /** Has no property of its own that the tooltip sets. */
  children: ReactElement<ComponentProps<'span'>>
}

/** Names its trigger on hover and focus. Not Radix's trigger, since the bubble's code is loaded later. */
export function Tooltip({ text, side = 'bottom', disabled, children }: TooltipProps) {
  const [trigger, setTrigger] = useState<Element>()
  const id = useId()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const Bubble = useLater(loadBubble)
  const close = () => {
    clearTimeout(timer.current)
    if (trigger) closed_at = performance.now()
    setTrigger(undefined)
  }
  useEffect(() => () => clearTimeout(timer.current), [])

  const open = !disabled && trigger !== undefined
  return (
    <>
      {cloneElement(children, {
        'aria-describedby': open ? id : undefined,
        ...(!disabled && {
          onPointerEnter: ({ currentTarget, pointerType }) => {
            if (pointerType === 'touch') return
            clearTimeout(timer.current)
            const delay_ms = performance.now() - closed_at < skipDelay_ms ? 0 : hoverDelay_ms
            timer.current = setTimeout(() => setTrigger(currentTarget), delay_ms)
          },
          onPointerLeave: close,
          onPointerDown: close,
          onBlur: close,
          onFocus: ({ currentTarget }) => {
            if (currentTarget.matches(':focus-visible')) setTrigger(currentTarget)
          },
        }),
      })}
      {open && Bubble && <Bubble {...{ id, text, side, trigger }} onClose={close} />}
    </>
  )
}

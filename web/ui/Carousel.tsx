import { clsx } from 'clsx'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import {
  type CSSProperties,
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useRef,
  useState,
} from 'react'
import { buttonStyle } from './buttonStyle.ts'

interface CarouselProps {
  label: string
  cards: readonly { title: string; content: ReactNode }[]
}

const swipePx = 50

/** An endless row of cards, one to three visible, moved by buttons, dots, arrow keys and swipes. */
export function Carousel({ label, cards }: CarouselProps) {
  const [{ index, moved }, setPosition] = useState({ index: 0, moved: 0 })
  const swipe = useSwipe((steps) => move(steps))
  const count = cards.length
  const show = (next: number) => setPosition({ index: next, moved: next - index })
  const move = (steps: number) =>
    setPosition((now) => ({ index: (now.index + steps + count) % count, moved: steps }))
  const onKeyDown = (event: KeyboardEvent) => {
    const steps = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (!steps) return
    event.preventDefault()
    move(steps)
  }
  return (
    <section aria-roledescription="carousel" aria-label={label} onKeyDown={onKeyDown}>
      <ul
        ref={swipe.ref}
        {...swipe.handlers}
        className="group/row -mx-2.5 grid touch-pan-y overflow-hidden py-1"
      >
        {cards.map(({ title, content }, card) => {
          const offset = offsetOf({ card, index, count })
          // A card that goes around the end would fly through the row.
          const goesAround = offset + moved !== offsetOf({ card, index: index - moved, count })
          return (
            <li
              key={title}
              style={{ '--offset': offset } as CSSProperties}
              className={clsx(
                'col-start-1 row-start-1 w-full translate-x-[calc(var(--offset)*100%+var(--drag,0px))] px-2.5 group-data-dragging/row:transition-none sm:w-1/2 lg:w-1/3',
                goesAround ? 'transition-none' : 'transition-[translate,visibility] duration-300 ease-out',
                visibility[offset] ?? 'invisible',
              )}
            >
              {content}
            </li>
          )
        })}
      </ul>
      <div className="mt-6 flex items-center justify-between gap-4">
        <div className="flex min-w-0 flex-1">
          {cards.map(({ title }, card) => (
            <button
              key={title}
              type="button"
              aria-label={`Show card ${card + 1}: ${title}`}
              aria-current={card === index || undefined}
              onClick={() => show(card)}
              className="group grid h-9 min-w-0 max-w-7 flex-1 place-items-center rounded-md"
            >
              <span className="h-2 w-2 rounded-full bg-line-strong transition-all group-hover:bg-faint group-aria-[current=true]:w-5 group-aria-[current=true]:bg-accent" />
            </button>
          ))}
        </div>
        <div className="flex gap-2">
          <button
            type="button"
            className={buttonStyle({ variant: 'secondary', size: 'icon' })}
            aria-label="Previous card"
            onClick={() => move(-1)}
          >
            <ChevronLeft aria-hidden="true" />
          </button>
          <button
            type="button"
            className={buttonStyle({ variant: 'secondary', size: 'icon' })}
            aria-label="Next card"
            onClick={() => move(1)}
          >
            <ChevronRight aria-hidden="true" />
          </button>
        </div>
      </div>
      <p aria-live="polite" className="sr-only">
        {moved !== 0 && `Card ${index + 1} of ${count}: ${cards[index]?.title}`}
      </p>
    </section>
  )
}

/** A card's distance from the first place. The last card waits at its left. */
function offsetOf({ card, index, count }: { card: number; index: number; count: number }): number {
  return ((((card - index + 1) % count) + count) % count) - 1
}

/** Invisible cards are not read aloud either; swiping shows the neighbors. */
const visibility: Record<number, string> = {
  [-1]: 'invisible group-data-dragging/row:visible',
  0: 'visible',
  1: 'invisible group-data-dragging/row:visible sm:visible',
  2: 'invisible group-data-dragging/row:visible lg:visible',
  3: 'invisible group-data-dragging/row:visible',
}

/** The row follows the finger, and moves by one card when it is let go after 50 pixels. */
function useSwipe(onSwipe: (steps: number) => void) {
  const ref = useRef<HTMLUListElement>(null)
  const startX = useRef<number | null>(null)
  const drag = (event: PointerEvent) => {
    if (startX.current === null || !ref.current) return
    ref.current.dataset.dragging = ''
    ref.current.style.setProperty('--drag', `${event.clientX - startX.current}px`)
  }
  const end = (event: PointerEvent, completed: boolean) => {
    if (startX.current === null) return
    const distance = event.clientX - startX.current
    startX.current = null
    delete ref.current?.dataset.dragging
    ref.current?.style.removeProperty('--drag')
    if (completed && Math.abs(distance) > swipePx) onSwipe(distance > 0 ? -1 : 1)
  }
  return {
    ref,
    handlers: {
      onPointerDown: (event: PointerEvent) => {
        if (event.isPrimary && event.button === 0) startX.current = event.clientX
      },
      onPointerMove: drag,
      onPointerUp: (event: PointerEvent) => end(event, true),
      onPointerLeave: (event: PointerEvent) => end(event, true),
      onPointerCancel: (event: PointerEvent) => end(event, false),
    },
  }
}

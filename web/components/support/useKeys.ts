import { type RefObject, useEffect, useRef } from 'react'

export type KeyActions = Readonly<Record<string, (event: KeyboardEvent) => void>>

/** Single-key shortcuts outside fields and dialogs, by `KeyboardEvent.key` in lower case. */
export function useKeys(actions: KeyActions): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
        return
      if (
        isTyping(event.target) ||
        document.querySelector('[role=dialog]:not([popover]), [role=alertdialog]')
      )
        return
      const act = latest.current[event.key.toLowerCase()]
      if (!act) return
      event.preventDefault()
      act(event)
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [])
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  const isChoice = target instanceof HTMLInputElement && ['checkbox', 'radio'].includes(target.type)
  return (target.matches('input, textarea, select') && !isChoice) || target.isContentEditable
}

/**
 * j and k move the focus through the elements with `data-row` inside the list, so that Enter opens what a
 * link or a button opens. Other keys are told which row has the focus: what its `data-row` says, or nothing.
 */
export function useRowKeys(
  list: RefObject<HTMLElement | null>,
  actions: Readonly<Record<string, (row: string | undefined) => void>> = {},
): void {
  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
  const focused = () => rows().find((row) => row === document.activeElement)
  const move = (steps: number) => {
    const all = rows()
    const row = focused()
    const next = row ? Math.min(Math.max(all.indexOf(row) + steps, 0), all.length - 1) : 0
    all[next]?.focus()
    all[next]?.scrollIntoView({ block: 'nearest' })
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ...Object.fromEntries(
      Object.entries(actions).map(([key, act]) => [key, () => act(focused()?.dataset.row)]),
    ),
  })
}

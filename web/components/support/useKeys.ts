import { type RefObject, useEffect, useRef } from 'react'

export type KeyActions = Readonly<Record<string, (event: KeyboardEvent) => void>>

/** Single keys that work anywhere on the page but in a field or an open dialog, named as `KeyboardEvent.key` has them. */
export function useKeys(actions: KeyActions): void {
  const latest = useRef(actions)
  useEffect(() => {
    latest.current = actions
  })
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
      if (isTyping(event.target) || document.querySelector('[role=dialog]:not([popover]), [role=alertdialog]')) return
      const act = latest.current[event.key]
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
 * j and k move the focus through the elements with `data-row` inside the list, so that Enter opens what a link or a button opens. Other
 * keys are about the row that has the focus, whose key is what `data-row` says.
 */
export function useRowKeys(
  list: RefObject<HTMLElement | null>,
  actions: Readonly<Record<string, (rowKey: string) => void>> = {},
): void {
  const rows = () => [...(list.current?.querySelectorAll<HTMLElement>('[data-row]') ?? [])]
  const move = (steps: number) => {
    const all = rows()
    const now = all.findIndex((row) => row === document.activeElement)
    const next = now === -1 ? 0 : Math.min(Math.max(now + steps, 0), all.length - 1)
    all[next]?.focus()
    all[next]?.scrollIntoView({ block: 'nearest' })
  }
  const onRow = (act: (rowKey: string) => void) => () => {
    const row = rows().find((one) => one === document.activeElement)?.dataset.row
    if (row !== undefined) act(row)
  }
  useKeys({
    j: () => move(1),
    k: () => move(-1),
    ...Object.fromEntries(Object.entries(actions).map(([key, act]) => [key, onRow(act)])),
  })
}

import { Tabs as Radix } from 'radix-ui'
import { type ReactNode, useEffect, useRef } from 'react'
import { Badge } from './Badge.tsx'

interface TabsProps<Value extends string> {
  /** What the tabs are about, for a screen reader. */
  label: string
  value: Value
  onChange: (value: Value) => void
  tabs: readonly {
    value: Value
    label: string
    /** Why it cannot be opened, in a word or two. It is then disabled, and says so. */
    disabled?: string | undefined
    /** Mounted while the tab is open. A link may open a disabled tab, whose content says why. */
    content: ReactNode
  }[]
}

/** Arrow keys, Home and End select. On narrow screens the row scrolls, with a faded end. */
export function Tabs<Value extends string>({ label, value, onChange, tabs }: TabsProps<Value>) {
  const list = useRef<HTMLDivElement>(null)
  const open = tabs.findIndex((tab) => tab.value === value)
  useEffect(() => showTab(list.current, open), [open])
  return (
    <Radix.Root value={value} onValueChange={(next) => onChange(next as Value)}>
      {/* The row is wider than its line, because it would cut the ring of a focused tab that is not. */}
      <div className="border-b">
        <Radix.List
          ref={list}
          aria-label={label}
          className="-mx-2 -mb-px flex gap-1 overflow-x-auto overflow-y-hidden [scrollbar-width:none] max-sm:pr-8 max-sm:[mask-image:linear-gradient(to_right,black_calc(100%-2rem),transparent)] sm:gap-2"
        >
          {tabs.map((tab) => (
            <Radix.Trigger
              key={tab.value}
              value={tab.value}
              disabled={tab.disabled !== undefined}
              className="relative flex h-10 shrink-0 items-center gap-2 rounded-t-md px-2 font-medium text-muted text-sm transition-colors after:absolute after:inset-x-2 after:bottom-0 after:h-0.5 focus-visible:-outline-offset-2 enabled:hover:text-ink disabled:cursor-not-allowed data-[state=active]:text-ink data-[state=active]:after:bg-accent"
            >
              {tab.label}
              {tab.disabled !== undefined && <Badge>{tab.disabled}</Badge>}
            </Radix.Trigger>
          ))}
        </Radix.List>
      </div>
      {tabs.map((tab) => (
        <Radix.Content key={tab.value} value={tab.value} className="mt-6 rounded-card">
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}

/** Scrolls the row only: `scrollIntoView` would move the page as well. */
function showTab(list: HTMLElement | null, index: number): void {
  const tab = list?.children[index]
  if (!list || !(tab instanceof HTMLElement)) return
  list.scrollLeft = tab.offsetLeft - list.offsetLeft - (list.clientWidth - tab.offsetWidth) / 2
}

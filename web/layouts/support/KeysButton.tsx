import { Keyboard } from 'lucide-react'
import { useState } from 'react'
import { useKeys } from '../../components/support/useKeys.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { sections } from './SupportNav.tsx'

const keys: readonly (readonly [string, string])[] = [
  ['/', 'Search'],
  ['j', 'Next row'],
  ['k', 'Previous row'],
  ['Enter', 'Open the row'],
  ['r', 'Replay the row, or what is wrong with the case'],
  ['x', 'Select the row'],
  ['Escape', 'Clear the selection, leave the case, close a dialog'],
  ...sections.map(({ label }, place) => [String(place + 1), label] as const),
  ['?', 'These keys'],
]

export function KeysButton() {
  const [isOpen, setIsOpen] = useState(false)
  useKeys({ '?': () => setIsOpen(true) })
  return (
    <>
      <span className="max-sm:hidden">
        <Button
          variant="quiet"
          size="icon"
          aria-label="Keyboard shortcuts"
          aria-keyshortcuts="?"
          onClick={() => setIsOpen(true)}
        >
          <Keyboard aria-hidden="true" />
        </Button>
      </span>
      <Dialog
        open={isOpen}
        onOpenChange={setIsOpen}
        title="Keyboard shortcuts"
        description="They work outside text fields."
      >
        <dl className="grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-1.5 text-sm">
          {keys.map(([key, meaning]) => (
            <div key={key} className="contents">
              <dt>
                <kbd className="inline-grid h-6 min-w-6 place-items-center rounded border bg-sunken px-1.5 font-sans text-xs">
                  {key}
                </kbd>
              </dt>
              <dd className="text-muted">{meaning}</dd>
            </div>
          ))}
        </dl>
      </Dialog>
    </>
  )
}

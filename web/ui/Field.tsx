import { Label } from 'radix-ui'
import { type ComponentProps, type ReactNode, useId } from 'react'
import { cn } from './cn.ts'

interface FieldProps extends Omit<ComponentProps<'input'>, 'id' | 'className'> {
  label: string
  problem?: string | null
  /** Shown under the field unless there is a problem. */
  hint?: ReactNode
  /** Shown at the end of the field, which is for a number then. */
  unit?: string
}

export function Field({ label, problem, hint, unit, ...input }: FieldProps) {
  const id = useId()
  const noteId = `${id}-note`
  return (
    <div>
      <Label.Root htmlFor={id} className="mb-1.5 block font-medium text-sm">
        {label}
      </Label.Root>
      <div className="relative">
        <input
          id={id}
          aria-invalid={problem ? true : undefined}
          aria-describedby={noteId}
          className={cn(
            'h-11 w-full rounded-control border border-line-strong bg-surface px-3.5 text-base tabular-nums shadow-low transition-colors placeholder:text-faint hover:border-faint focus-visible:border-accent focus-visible:outline-offset-0 aria-invalid:border-critical',
            unit && 'pr-18',
          )}
          {...(unit && { inputMode: 'numeric', autoComplete: 'off' })}
          {...input}
        />
        {unit && (
          <span className="pointer-events-none absolute inset-y-0 right-3.5 flex items-center text-faint text-sm">
            {unit}
          </span>
        )}
      </div>
      <div id={noteId} aria-live="polite" className="mt-1.5 min-h-5 text-sm">
        {problem ? <p className="text-critical">{problem}</p> : hint && <p className="text-muted">{hint}</p>}
      </div>
    </div>
  )
}

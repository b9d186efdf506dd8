import { type ReactNode, useLayoutEffect, useRef, useState } from 'react'
import { readerLocales } from '../../reader.ts'
import { Field } from '../../ui/Field.tsx'
import { type AmountEdit, createAmountFormat } from './amountText.ts'

export const amountFormat = createAmountFormat(readerLocales)

interface AmountInputProps {
  label: string
  value: string
  onChange: (text: string) => void
  onEnter: () => void
  problem: string | null
  hint: ReactNode
  disabled: boolean
}

/**
 * A text field for a whole number, grouped while it is typed. Not `type="number"`: that changes by the mouse
 * wheel, takes `1e3` for a thousand and reads `1.000` as one wherever the browser's language is not the
 * page's.
 */
export function AmountInput({ value, onChange, onEnter, ...field }: AmountInputProps) {
  const input = useRef<HTMLInputElement>(null)
  const [caret, setCaret] = useState<{ at: number } | null>(null)
  // After React has set the value, which moves the caret to the end.
  useLayoutEffect(() => {
    if (caret && document.activeElement === input.current) {
      input.current?.setSelectionRange(caret.at, caret.at)
    }
  }, [caret])

  function take(edit: AmountEdit): void {
    const next = amountFormat.edit(value, edit)
    onChange(next.text)
    setCaret({ at: next.caret })
  }

  return (
    <Field
      ref={input}
      type="text"
      inputMode="numeric"
      autoComplete="off"
      unit="credits"
      value={value}
      onChange={({ currentTarget, nativeEvent }) => {
        const { value: text, selectionStart } = currentTarget
        const event = nativeEvent as InputEvent
        // While characters are being composed, as for Japanese, the text is the input method's.
        if (event.isComposing) return onChange(text)
        take({ text, caret: selectionStart ?? text.length, ...editOf(event) })
      }}
      onCompositionEnd={({ currentTarget: { value: text, selectionStart } }) =>
        take({ text, caret: selectionStart ?? text.length })
      }
      // A form whose button is disabled is not submitted by Enter, so the field says it itself.
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.nativeEvent.isComposing) return
        event.preventDefault()
        onEnter()
      }}
      {...field}
    />
  )
}

function editOf({ inputType = '', data }: InputEvent): Pick<AmountEdit, 'typed' | 'deleted'> {
  if (inputType.startsWith('delete')) return { deleted: inputType.includes('Forward') ? 'forward' : 'back' }
  return inputType === 'insertText' ? { typed: data } : {}
}

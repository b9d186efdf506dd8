import type { Form } from '../wire/form.ts'

/** One field of a submitted form: trimmed, never longer than a field of ours can be. */
export function textField(form: Form, name: string): string {
  const value = form[name]
  return typeof value === 'string' ? value.trim().slice(0, 500) : ''
}

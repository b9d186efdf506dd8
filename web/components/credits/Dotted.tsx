import { Fragment } from 'react'

/** Parts with dots between them: a line breaks after a dot, and within a part only where that is longer. */
export function Dotted({ text }: { text: string }) {
  const parts = text.split(' · ')
  if (parts.length === 1) return text
  return [...parts.entries()].map(([place, part]) => (
    <Fragment key={place}>
      <span className="inline-block">{place < parts.length - 1 ? `${part} ·` : part}</span>{' '}
    </Fragment>
  ))
}

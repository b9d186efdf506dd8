import { ChevronDown } from 'lucide-react'
import { useId, useState } from 'react'

interface DisclosureProps {
  items: readonly { question: string; answer: string }[]
  open: 'one' | 'several'
}

/**
 * Questions and answers. Closed answers are in the document, where search engines find them, but are neither
 * seen, focused nor read aloud. Our own, because every public page loads it: a library's accordion weighs as
 * much as all the rest of a page.
 */
export function Disclosure({ items, open }: DisclosureProps) {
  const [opened, setOpened] = useState<readonly string[]>([])
  const toggle = (question: string) => {
    if (opened.includes(question)) setOpened(opened.filter((other) => other !== question))
    else setOpened(open === 'one' ? [question] : [...opened, question])
  }
  return (
    <div className="divide-y divide-line border-line border-y">
      {items.map((item) => (
        <Answer
          key={item.question}
          {...item}
          expanded={opened.includes(item.question)}
          onToggle={() => toggle(item.question)}
        />
      ))}
    </div>
  )
}

interface AnswerProps {
  question: string
  answer: string
  expanded: boolean
  onToggle: () => void
}

function Answer({ question, answer, expanded, onToggle }: AnswerProps) {
  const id = useId()
  return (
    <div>
      <h3 className="font-[inherit] tracking-normal">
        <button
          type="button"
          id={`${id}-question`}
          aria-expanded={expanded}
          aria-controls={`${id}-answer`}
          onClick={onToggle}
          className="group flex w-full items-center justify-between gap-6 py-4 text-left font-medium text-base hover:text-accent-text"
        >
          {question}
          <ChevronDown
            aria-hidden="true"
            className="size-4 shrink-0 text-faint transition-transform duration-200 group-aria-expanded:rotate-180"
          />
        </button>
      </h3>
      <section
        id={`${id}-answer`}
        aria-labelledby={`${id}-question`}
        data-expanded={expanded || undefined}
        className="invisible grid grid-rows-[0fr] transition-[grid-template-rows,visibility] duration-200 ease-out data-expanded:visible data-expanded:grid-rows-[1fr]"
      >
        <p className="max-w-prose overflow-hidden pr-10 text-base text-muted leading-relaxed">
          <span className="block pb-5">{answer}</span>
        </p>
      </section>
    </div>
  )
}

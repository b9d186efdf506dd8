import { ChevronDown } from 'lucide-react'
import { Accordion } from 'radix-ui'

interface DisclosureProps {
  items: readonly { question: string; answer: string }[]
}

/** Questions and answers, one open at a time. */
export function Disclosure({ items }: DisclosureProps) {
  return (
    <Accordion.Root type="single" collapsible className="divide-y divide-line border-line border-y">
      {items.map((item) => (
        <Accordion.Item key={item.question} value={item.question}>
          <Accordion.Header>
            <Accordion.Trigger className="group flex w-full items-center justify-between gap-6 py-4 text-left font-medium text-base hover:text-accent-text">
              {item.question}
              <ChevronDown
                aria-hidden="true"
                className="size-4 shrink-0 text-faint transition-transform group-data-[state=open]:rotate-180"
              />
            </Accordion.Trigger>
          </Accordion.Header>
          <Accordion.Content className="overflow-hidden data-[state=closed]:animate-close data-[state=open]:animate-open">
            <p className="max-w-prose pr-10 pb-5 text-[15px] text-muted leading-relaxed">{item.answer}</p>
          </Accordion.Content>
        </Accordion.Item>
      ))}
    </Accordion.Root>
  )
}

import { useWebConfig } from '../../api/catalogue.ts'
import { Disclosure } from '../../ui/Disclosure.tsx'

interface FaqSectionProps {
  items: readonly { question: string; answer: string }[]
  open: 'one' | 'several'
}

export function FaqSection({ items, open }: FaqSectionProps) {
  const { brand } = useWebConfig()
  if (items.length === 0) return null
  return (
    <section id="faq" aria-labelledby="faq-title" className="border-t">
      <div className="mx-auto grid max-w-6xl gap-10 px-5 py-20 sm:px-8 sm:py-28 lg:grid-cols-[1fr_1.7fr]">
        <div>
          <h2 id="faq-title" className="text-3xl">
            Frequently asked questions
          </h2>
          <p className="mt-4 text-muted">
            Have another question?{' '}
            <a
              href={`mailto:${brand.support_email}`}
              className="text-accent-text underline underline-offset-4"
            >
              Email us
            </a>
            .
          </p>
        </div>
        <Disclosure items={items} open={open} />
      </div>
    </section>
  )
}

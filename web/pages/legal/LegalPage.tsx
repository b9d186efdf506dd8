import { useWebConfig } from '../../api/catalogue.ts'
import { type LegalPath, legalDocuments, legalSamples } from '../../content/site/legal.ts'
import { Alert } from '../../ui/Alert.tsx'

/** The sample of a document, or where the operator's own one is. */
export function LegalPage({ path }: { path: LegalPath }) {
  const { brand } = useWebConfig()
  const { title, address } = legalDocuments[path]
  const own = address(brand)
  return (
    <section className="mx-auto max-w-3xl px-5 pt-14 pb-24 sm:px-8 sm:pt-20 sm:pb-32">
      <h1 className="text-4xl">{title}</h1>
      {own ? (
        <p className="mt-6 text-lg leading-relaxed">
          Read it at{' '}
          <a href={own} className="text-accent-text underline underline-offset-4">
            {own}
          </a>
          .
        </p>
      ) : (
        <>
          <div className="mt-6">
            <Alert tone="caution" title="This is a sample">
              It describes how {brand.name} works, and it is no legal advice. The operator of this site has
              not published a document of its own yet.
            </Alert>
          </div>
          {legalSamples[path].map((section) => (
            <div key={section.title} className="mt-10">
              <h2 className="text-xl">{section.title}</h2>
              <p className="mt-3 text-lg text-muted leading-relaxed">{section.text}</p>
            </div>
          ))}
          <p className="mt-10 text-lg text-muted leading-relaxed">
            Questions? Write to{' '}
            <a
              href={`mailto:${brand.support_email}`}
              className="text-accent-text underline underline-offset-4"
            >
              {brand.support_email}
            </a>
            .
          </p>
        </>
      )}
    </section>
  )
}

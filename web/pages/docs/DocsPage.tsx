import extension from '../../../docs/extension.md?raw'
import { Fixed } from '../../components/marketing/Fixed.tsx'
import { headingId, Markdown } from './Markdown.tsx'

/** The site's own documentation, unless BRAND_DOCS_URL leads elsewhere: docs/extension.md, as it was when built. */
export function DocsPage() {
  return <Fixed id="docs">{(import.meta.env.SSR || import.meta.env.DEV) && <ExtensionDocs />}</Fixed>
}

function ExtensionDocs() {
  const begin = extension.indexOf('\n## ')
  const sections = [...extension.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title)
  return (
    <article className="mx-auto grid max-w-6xl gap-x-14 px-5 pt-14 pb-24 leading-relaxed [overflow-wrap:anywhere] sm:px-8 sm:pt-20 lg:grid-cols-[13rem_minmax(0,48rem)]">
      <div className="min-w-0 lg:col-start-2">
        <Markdown text={extension.slice(0, begin)} />
      </div>
      <nav
        aria-label="On this page"
        className="mt-10 lg:sticky lg:top-24 lg:col-start-1 lg:row-span-2 lg:row-start-1 lg:mt-3 lg:self-start"
      >
        <ul className="grid gap-y-2 text-sm sm:grid-cols-2 lg:grid-cols-1">
          {sections.map((title) => (
            <li key={title}>
              <a href={`#${headingId(title)}`} className="text-muted underline-offset-4 hover:underline">
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div className="min-w-0 lg:col-start-2">
        <Markdown text={extension.slice(begin)} />
      </div>
    </article>
  )
}

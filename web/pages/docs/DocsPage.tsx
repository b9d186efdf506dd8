import { Marked, type RendererObject } from 'marked'
import extension from '../../../docs/extension.md?raw'
import { Fixed } from '../../components/marketing/sections.tsx'

/** The site's own documentation, unless BRAND_DOCS_URL leads elsewhere: docs/extension.md, as it was when built. */
export function DocsPage() {
  return <Fixed id="docs">{(import.meta.env.SSR || import.meta.env.DEV) && <ExtensionDocs />}</Fixed>
}

function ExtensionDocs() {
  const begin = extension.indexOf('\n## ')
  const sections = [...extension.matchAll(/^## (.+)$/gm)].map(([, title = '']) => title)
  return (
    <article className="mx-auto grid max-w-6xl gap-x-14 px-5 pt-14 pb-24 leading-relaxed [overflow-wrap:anywhere] sm:px-8 sm:pt-20 lg:grid-cols-[13rem_minmax(0,46rem)]">
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

/** As GitHub names headings, which the links of our documents rely on. */
function headingId(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

const renderer: RendererObject = {
  heading({ tokens, depth, text }) {
    return `<h${depth} id="${headingId(text)}">${this.parser.parseInline(tokens)}</h${depth}>`
  },
  /** A link to another file of the repository is its text alone. */
  link({ href, tokens }) {
    const label = this.parser.parseInline(tokens)
    return /^(#|https:)/.test(href) ? `<a href="${encodeURI(href)}">${label}</a>` : label
  },
}

/** Lines of code break, so that a phone shows all of them. */
const looks = [
  '[&_h1]:text-4xl sm:[&_h1]:text-5xl [&_h2]:mt-14 [&_h2]:border-t [&_h2]:pt-10 [&_h2]:text-2xl sm:[&_h2]:text-3xl',
  '[&_h3]:mt-10 [&_h3]:text-xl [&_p]:mt-4 [&_ul]:mt-4 [&_ul]:list-disc [&_ul]:space-y-2 [&_ul]:pl-5 [&_li]:marker:text-accent-text',
  '[&_a]:text-accent-text [&_a]:underline [&_a]:underline-offset-4',
  '[&_table]:mt-6 [&_table]:w-full [&_table]:text-left [&_table]:text-sm [&_tr]:border-b [&_tr]:align-top [&_th]:py-2 [&_th]:pr-3 [&_td]:py-2.5 [&_td]:pr-3',
  '[&_:not(pre)>code]:rounded-sm [&_:not(pre)>code]:bg-sunken [&_:not(pre)>code]:px-1 [&_:not(pre)>code]:py-px [&_:not(pre)>code]:ring-1 [&_:not(pre)>code]:ring-line [&_code]:font-mono [&_code]:text-sm',
  '[&_pre]:mt-4 [&_pre]:whitespace-pre-wrap [&_pre]:rounded-card [&_pre]:border [&_pre]:bg-sunken [&_pre]:p-4 [&_pre]:text-xs [&_pre]:leading-5 [&_pre_code]:text-xs',
].join(' ')

/** A document of this repository: its text is ours, so that its markup is too. */
function Markdown({ text }: { text: string }) {
  const __html = new Marked({ renderer }).parse(text, { async: false })
  // biome-ignore lint/security/noDangerouslySetInnerHtml: the text is a file of this repository, read by the build
  return <div className={looks} dangerouslySetInnerHTML={{ __html }} />
}

import { useWebConfig } from '../api/catalogue.ts'
import { type LegalPath, legalDocuments, legalLink } from '../content/site/legal.ts'

interface AgreementNoteProps {
  /** What the customer does next, for example "By continuing to payment". */
  when: string
  documents: readonly [first: LegalPath, second: LegalPath]
}

/** The documents that apply to the next step, where it is taken. */
export function AgreementNote({ when, documents: [first, second] }: AgreementNoteProps) {
  return (
    <p className="text-balance text-center text-faint text-xs leading-5">
      {when}, you agree to the <DocumentLink path={first} /> and the <DocumentLink path={second} />.
    </p>
  )
}

function DocumentLink({ path }: { path: LegalPath }) {
  const { brand } = useWebConfig()
  const { title } = legalDocuments[path]
  return (
    // A new tab keeps what was typed.
    <a
      href={legalLink(path, brand).href}
      target="_blank"
      rel="noreferrer"
      className="underline underline-offset-4 hover:text-ink"
    >
      {title.toLowerCase()}
    </a>
  )
}

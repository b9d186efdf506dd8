import { ExternalLink } from 'lucide-react'
import { useWebConfig } from '../api/catalogue.ts'

/** Leads to the extension, or in the sandbox to the editor that stands in for it. */
export function EditorLink() {
  const { brand, sample_editor_url } = useWebConfig()
  const href = brand.marketplace_url ?? sample_editor_url
  if (href === null) return null
  return (
    <a
      href={href}
      target="_blank"
      rel="noreferrer"
      className="inline-flex items-center gap-1.5 font-medium text-accent-text text-sm underline underline-offset-4"
    >
      {brand.marketplace_url === null ? 'Open the sample editor' : `Get the ${brand.name} extension`}
      <ExternalLink aria-hidden="true" className="size-3.5" />
    </a>
  )
}

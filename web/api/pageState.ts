import type { PageState } from '../../schema/api/catalogue.ts'

/** What the server wrote into the document; nothing when Vite's development server sent it. */
export function readPageState(): PageState | null {
  const text = document.getElementById('page-state')?.textContent
  return text ? (JSON.parse(text) as PageState) : null
}

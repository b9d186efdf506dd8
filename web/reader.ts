/**
 * How the reader's browser is set up, for numbers, dates and days. Browsers report languages that Intl
 * refuses (`en-US@posix`, `C`, none at all) and zones that no one knows (`Etc/Unknown`).
 */
export const readerLocales: readonly string[] = wellFormedLocales(navigator.languages)

/** The days of a reader whose zone is not known are those of UTC. */
export function readerTimeZone(reported = Intl.DateTimeFormat().resolvedOptions().timeZone): string {
  if (!reported || reported === 'Etc/Unknown') return 'UTC'
  try {
    return new Intl.DateTimeFormat('en', { timeZone: reported }).resolvedOptions().timeZone
  } catch {
    return 'UTC'
  }
}

/** Those that Intl accepts, without a POSIX modifier or character set; English when none is left. */
export function wellFormedLocales(languages: readonly string[] = []): string[] {
  const known = languages.flatMap((language) => {
    const [tag = ''] = language.trim().replaceAll('_', '-').split(/[@.]/)
    try {
      return Intl.getCanonicalLocales(tag)
    } catch {
      return []
    }
  })
  return known.length > 0 ? known : ['en-US']
}

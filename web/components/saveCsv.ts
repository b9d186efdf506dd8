/** Gives a table to the reader as a file, named with the day on which it was saved. */
export function saveCsv(text: string, name: string): void {
  // Without the mark at its beginning Excel would read the file in another encoding.
  const url = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${name}-${new Date().toISOString().slice(0, 10)}.csv`
  link.click()
  // Safari reads it only after a while.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

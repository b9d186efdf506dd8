import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { Button } from '../ui/Button.tsx'
import { toastFailure } from './toastFailure.ts'

interface ExportButtonProps {
  /** The text of the file. */
  load: () => Promise<string>
  /** Without the day and the ending, which are added. */
  name: string
  /** Said when it cannot be loaded, unless the server says more. */
  failure: string
}

export function ExportButton({ load, name, failure }: ExportButtonProps) {
  const download = useMutation({
    mutationFn: load,
    onSuccess: (text) => saveFile(text, `${name}-${new Date().toISOString().slice(0, 10)}.csv`),
    onError: toastFailure(failure),
  })
  return (
    <Button variant="secondary" size="small" busy={download.isPending} onClick={() => download.mutate()}>
      {!download.isPending && <Download aria-hidden="true" />}
      Export
    </Button>
  )
}

function saveFile(text: string, name: string): void {
  // Excel needs the mark at its beginning, which the browser has taken from what the server sent.
  const url = URL.createObjectURL(new Blob(['\uFEFF', text], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // Safari reads it only after a while.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

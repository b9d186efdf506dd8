import { useEffect, useState } from 'react'

const copiedForMs = 2000

/** Copies a text and confirms it for two seconds. Rejects where the browser forbids it. */
export function useCopied(): [isCopied: boolean, copy: (text: string) => Promise<void>] {
  const [isCopied, setIsCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setIsCopied(false), copiedForMs)
    return () => clearTimeout(timer)
  }, [isCopied])
  return [isCopied, (text) => navigator.clipboard.writeText(text).then(() => setIsCopied(true))]
}

import type { ReactNode } from 'react'

interface Toast {
  readonly kind: 'success' | 'error'
  readonly title: ReactNode
  readonly options: ToastOptions | undefined
}

interface ToastOptions {
  id?: string
  description?: ReactNode
}

/** Shows a short notice. Notices wait until the library (App.tsx) is loaded. */
export const toast = {
  success: (title: ReactNode, options?: ToastOptions) => add({ kind: 'success', title, options }),
  error: (title: ReactNode, options?: ToastOptions) => add({ kind: 'error', title, options }),
}

let waiting: readonly Toast[] = []
let listener: (() => void) | undefined

function add(added: Toast): void {
  waiting = [...waiting, added]
  listener?.()
}

export function takeWaitingToasts(): readonly Toast[] {
  const taken = waiting
  waiting = []
  return taken
}

/** For the one who shows them. */
export function onToast(listen: () => void): () => void {
  listener = listen
  return () => {
    listener = undefined
  }
}

import { useEffect } from 'react'
import * as sonner from 'sonner'
import { onToast, takeWaitingToasts } from './toast.ts'

const style = {
  '--normal-bg': 'var(--tide-surface)',
  '--normal-text': 'var(--tide-ink)',
  '--normal-border': 'var(--tide-line)',
} as React.CSSProperties

export function Toaster({ theme }: { theme: 'light' | 'dark' }) {
  // Sonner's own effect, which listens, has run before this one.
  useEffect(() => {
    showWaiting()
    return onToast(showWaiting)
  }, [])
  return (
    <sonner.Toaster
      theme={theme}
      position="bottom-right"
      visibleToasts={3}
      duration={4500}
      closeButton
      style={style}
      toastOptions={{
        classNames: {
          toast: 'font-sans! rounded-card! shadow-float!',
          description: 'whitespace-pre-line text-muted!',
          error: 'border-critical-line! [&_[data-icon]]:text-critical',
          success: '[&_[data-icon]]:text-positive',
        },
      }}
    />
  )
}

function showWaiting(): void {
  for (const { kind, title, options } of takeWaitingToasts()) sonner.toast[kind](title, options)
}

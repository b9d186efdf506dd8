import { Toaster } from 'sonner'

const style = {
  '--normal-bg': 'var(--tide-surface)',
  '--normal-text': 'var(--tide-ink)',
  '--normal-border': 'var(--tide-line)',
} as React.CSSProperties

export function Toasts({ theme }: { theme: 'light' | 'dark' }) {
  return (
    <Toaster
      theme={theme}
      position="bottom-right"
      visibleToasts={3}
      duration={4500}
      closeButton
      style={style}
      toastOptions={{
        classNames: {
          toast: 'font-sans! rounded-card! shadow-float!',
          description: 'text-muted!',
          error: 'border-critical-line! [&_[data-icon]]:text-critical',
          success: '[&_[data-icon]]:text-positive',
        },
      }}
    />
  )
}

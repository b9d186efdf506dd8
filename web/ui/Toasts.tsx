import { useLater } from './useLater.ts'

const loadToaster = async () => (await import('./Toaster.tsx')).Toaster

/** The place of all toasts. Toasts that are raised before it is loaded wait. */
export function Toasts({ theme }: { theme: 'light' | 'dark' }) {
  const Toaster = useLater(loadToaster)
  return Toaster ? <Toaster theme={theme} /> : null
}

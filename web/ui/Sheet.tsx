import type { SheetProps } from './SheetDialog.tsx'
import { useLater } from './useLater.ts'

const loadDialog = async () => (await import('./SheetDialog.tsx')).SheetDialog

/** A modal panel whose code no page waits for. */
export function Sheet(props: SheetProps) {
  const SheetDialog = useLater(loadDialog)
  return SheetDialog ? <SheetDialog {...props} /> : null
}

/** Darkens the page behind a dialog or a sheet. */
export const overlayStyle = 'fixed inset-0 z-40 animate-fade-in bg-black/45'

/** The frame of a dialog, in the middle of the window and never higher than it. */
export const dialogStyle =
  'fixed top-1/2 left-1/2 z-50 max-h-[calc(100dvh-2rem)] w-[calc(100%-2rem)] [:where(&)]:max-w-md -translate-x-1/2 -translate-y-1/2 animate-fade-in overflow-y-auto rounded-card border bg-surface p-6 shadow-float'

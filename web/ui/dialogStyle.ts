/** Darkens the page behind a dialog or a sheet. */
export const overlayStyle = 'fixed inset-0 z-40 animate-fade-in bg-black/45'

/**
 * The frame of a dialog, in the middle of the window and never higher than it. It is not moved by a transform, so
 * that Clerk's dialog can lie over the window from within it.
 */
export const dialogStyle =
  'fixed inset-0 z-50 m-auto h-fit max-h-[calc(100dvh-2rem)] w-[calc(100%-2rem)] [:where(&)]:max-w-md animate-fade-in overflow-y-auto rounded-card border bg-surface p-6 shadow-float'

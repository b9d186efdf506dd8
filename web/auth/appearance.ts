/** Clerk's components in our own tokens; the variables follow the theme by themselves because they are CSS variables. */
export const clerkAppearance = {
  variables: {
    colorPrimary: 'var(--accent)',
    colorPrimaryForeground: 'var(--on-accent)',
    colorBackground: 'var(--surface)',
    colorForeground: 'var(--ink)',
    colorMuted: 'var(--sunken)',
    colorMutedForeground: 'var(--muted)',
    colorNeutral: 'var(--ink)',
    colorInput: 'var(--surface)',
    colorInputForeground: 'var(--ink)',
    colorBorder: 'var(--ink)',
    colorRing: 'var(--accent)',
    colorDanger: 'var(--critical)',
    colorSuccess: 'var(--positive)',
    colorWarning: 'var(--caution)',
    colorShadow: 'oklch(0.2 0.03 230)',
    colorModalBackdrop: 'oklch(0 0 0 / 0.5)',
    fontFamily: 'var(--font-sans)',
    borderRadius: '0.5rem',
  },
  layout: { shimmer: false },
}

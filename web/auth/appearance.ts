/** Clerk's components in our own tokens; the variables follow the theme by themselves because they are CSS variables. */
export const clerkAppearance = {
  variables: {
    colorPrimary: 'var(--tide-accent)',
    colorPrimaryForeground: 'var(--tide-on-accent)',
    colorBackground: 'var(--tide-surface)',
    colorForeground: 'var(--tide-ink)',
    colorMuted: 'var(--tide-sunken)',
    colorMutedForeground: 'var(--tide-muted)',
    colorNeutral: 'var(--tide-ink)',
    colorInput: 'var(--tide-surface)',
    colorInputForeground: 'var(--tide-ink)',
    colorBorder: 'var(--tide-ink)',
    colorRing: 'var(--tide-accent)',
    colorDanger: 'var(--tide-critical)',
    colorSuccess: 'var(--tide-positive)',
    colorWarning: 'var(--tide-caution)',
    colorShadow: 'oklch(0.2 0.03 230)',
    colorModalBackdrop: 'oklch(0 0 0 / 0.5)',
    fontFamily: 'var(--font-sans)',
    borderRadius: '0.5rem',
  },
  layout: { shimmer: false },
}

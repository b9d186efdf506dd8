export const updates = [
  {
    date: '2025-08-10',
    title: 'AI-powered suggestions',
    text: 'Completions now take your latest edits into account and propose the next one.',
    points: [
      'Suggestions follow a rename through the other places of the file',
      'Several lines at once, accepted with one Tab',
      'A suggestion that no longer fits disappears by itself',
    ],
  },
  {
    date: '2025-08-05',
    title: 'Accessibility',
    text: 'Everything on this site can be used with a keyboard and with a screen reader.',
    points: [
      'A focus that is always seen, and dialogs that keep it inside',
      'Light and dark themes with enough contrast for text',
      'Animations stop when your system asks for less motion',
    ],
  },
  {
    date: '2025-08-01',
    title: 'Performance',
    text: 'Pages arrive finished, and load what they need only when they need it.',
    points: [
      'The public pages are readable before any script has run',
      'The sign-in service is loaded when you sign in, not before',
      'Charts and account pages are separate downloads',
    ],
  },
] as const

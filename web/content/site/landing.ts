import type { Card, Sample } from './sample.ts'

/** `name` is the name of the product. */
export const hero = {
  badge: (name: string) => `Welcome to ${name} — free to start`,
  title: 'The AI pair programmer that has read your whole codebase',
  text: (name: string) =>
    `${name} works in the editor you already use. Hand it a task, review the diff and stay in your flow. Models from several vendors, one credit balance.`,
}

interface Demo extends Sample {
  /** A file of `web/public`: the sample editor at work. */
  readonly video: string
  readonly poster: string
  /** What a reader who does not see it is told. */
  readonly label: string
  readonly width: number
  readonly height: number
}

/** The video below the headline; null for none. */
export const landing: { readonly demo: Demo | null } = {
  demo: {
    video: '/demo.webm',
    poster: '/demo.webp',
    label:
      'A recording of the editor: the assistant explains a function, works on a task with credits reserved, and the balance shows what it cost',
    width: 1280,
    height: 720,
    sample: true,
  },
}

export const features: readonly (Card & { eyebrow: string; points: readonly string[] })[] = [
  {
    id: 'agent',
    eyebrow: 'Agent',
    title: 'An agent that turns ideas into code',
    text: 'Describe the change. The agent reads the code it needs, plans the steps, edits across files, runs your tests and hands you a diff to review.',
    points: ['Plans before it edits', 'Runs commands in your terminal', 'Every change is a diff you approve'],
  },
  {
    id: 'tab',
    eyebrow: 'Autocomplete',
    title: 'Accurate autocomplete, one Tab away',
    text: 'Completions that follow your types, your naming and the changes you just made. It suggests your next edit, not just the next word.',
    points: ['Knows the whole repository', 'Multi-line edits in place', 'Unlimited on every plan'],
  },
  {
    id: 'everywhere',
    eyebrow: 'Editors',
    title: 'Works everywhere software gets built',
    text: 'Add the extension to the editors that you use. One account and one balance work in all of them.',
    points: [
      'Sign in from the editor in one step',
      'Models from several vendors',
      'The same credits everywhere',
    ],
  },
]

export const platform: readonly Card[] = [
  {
    id: 'learning',
    title: 'Adaptive learning',
    text: 'Learns the conventions of your codebase and follows them in the code it writes.',
  },
  {
    id: 'automation',
    title: 'Smart automation',
    text: 'Hand off the repetitive work: migrations, renames, test scaffolding, changelogs.',
  },
  {
    id: 'mapping',
    title: 'Data mapping',
    text: 'Traces a value from the database to the screen before changing any code along the way.',
  },
  {
    id: 'prediction',
    title: 'Predictive analytics',
    text: 'Points out changes that are likely to break something before you merge them.',
  },
]

export const more: readonly Card[] = [
  {
    id: 'models',
    title: 'Frontier intelligence',
    text: 'Choose the right model for each task, from several vendors, without a contract with each.',
  },
  {
    id: 'familiar',
    title: 'Feels familiar',
    text: 'Import your extensions, themes and keybindings in one click.',
  },
  {
    id: 'privacy',
    title: 'Privacy options',
    text: 'Choose what leaves your machine and what is kept.',
  },
]

export const capabilities: readonly (Card & { example: string })[] = [
  {
    id: 'loops',
    title: 'Loops on errors',
    text: 'When an edit breaks the linter, it reads the message, fixes the cause and runs the linter again until it is clean.',
    example: 'eslint: 3 problems → 0',
  },
  {
    id: 'mcp',
    title: 'Model Context Protocol',
    text: 'Connect the servers your team already runs, and the assistant can read tickets, schemas and dashboards.',
    example: 'mcp add postgres --read-only',
  },
  {
    id: 'modes',
    title: 'Mode switching',
    text: 'Architect to plan, Code to write, Debug to find out why. Each mode has its own instructions and model.',
    example: 'Architect · Code · Debug',
  },
  {
    id: 'supercomplete',
    title: 'Supercomplete',
    text: 'Sees what you are doing and suggests the next edit, even when it is far from your cursor.',
    example: 'Tab → line 42, Tab → line 87',
  },
  {
    id: 'inline',
    title: 'In-line edit',
    text: 'Select a few lines, say what should change, and accept the result without leaving the file.',
    example: 'Ctrl+I  make this a stream',
  },
  {
    id: 'multifile',
    title: 'Multi-file edits',
    text: 'One request, many files: the change arrives as one set that you review and apply together.',
    example: '14 files  +231 −96',
  },
  {
    id: 'codebase',
    title: 'Deep codebase knowledge',
    text: 'Finds the code that matters for a question, including files that were last opened years ago.',
    example: '“Where do we round prices?”',
  },
  {
    id: 'terminal',
    title: 'Runs commands in the terminal',
    text: 'Builds, tests and migrations run where you can see them, and nothing runs without your approval.',
    example: '$ npm test',
  },
  {
    id: 'security',
    title: 'Security and compliance',
    text: 'Decide which files it can read, which commands it can run and which models it can use.',
    example: 'deny: .env, secrets/**',
  },
]

export const sections = {
  integrations: 'Works with the tools you already use, through the Model Context Protocol',
  productivity: {
    title: 'Less busywork, more building',
    text: 'Help with everything around the code that quietly eats up your day.',
  },
  capabilities: {
    title: 'The possibilities are literally endless',
    text: 'Nine things you will not want to give up after a week.',
  },
  pricing: {
    title: 'Pricing that adds up',
    text: 'Start free and add credits when you need them, or choose a plan that includes credits every month.',
  },
  closing: {
    title: 'Give it a task you’ve been putting off',
    text: 'Free to start. No card needed until you add credits.',
  },
}

export const features = [
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
    text: 'It is an extension, not another editor to learn. Your extensions, themes and keybindings stay as they are, and one account works in every editor.',
    points: [
      'Sign in from the editor in one step',
      'Models from several vendors',
      'The same credits everywhere',
    ],
  },
] as const

export const platform = [
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
] as const

export const more = [
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
    text: 'In privacy mode your code is neither stored nor used for training.',
  },
] as const

export const capabilities = [
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
] as const

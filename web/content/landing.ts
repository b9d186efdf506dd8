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
    title: 'Adaptive learning',
    text: 'Learns the conventions of your codebase and follows them in the code it writes.',
  },
  {
    title: 'Smart automation',
    text: 'Hand off the repetitive work: migrations, renames, test scaffolding, changelogs.',
  },
  {
    title: 'Data mapping',
    text: 'Traces a value from the database to the screen before changing any code along the way.',
  },
  {
    title: 'Predictive analytics',
    text: 'Points out changes that are likely to break something before you merge them.',
  },
  {
    title: 'Frontier intelligence',
    text: 'Choose the right model for each task, from several vendors, with no extra contracts.',
  },
  {
    title: 'Privacy options',
    text: 'In privacy mode your code is never stored or used for training.',
  },
] as const

export const proFeatures = [
  'Advanced MCP Integrations',
  'Custom Server Endpoints',
  'Multi-Model Orchestration',
  'Real-Time Context Sync',
  'Enhanced Security Layer',
  'Priority Technical Support',
  'Advanced API Rate Limits',
  'Server Performance Analytics',
  'Protocol Version Control',
] as const

export const teamsFeatures = [
  'Everything in Pro Plan',
  'Dedicated Server Instance',
  'White-Label MCP Solutions',
  'Team Collaboration Tools',
  'Advanced User Management',
  'Custom Security Policies',
  'Dedicated Account Manager',
  'SLA Guarantees',
] as const

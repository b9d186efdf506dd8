export const features = [
  {
    id: 'agent',
    eyebrow: 'Agent',
    title: 'An agent that turns ideas into code',
    text: 'Describe the change. It reads what it needs, plans the steps, edits across files, runs your tests and hands you a diff. You stay the reviewer.',
    points: ['Plans before it edits', 'Runs commands in your terminal', 'Every change is a diff you approve'],
  },
  {
    id: 'tab',
    eyebrow: 'Autocomplete',
    title: 'Accurate completion, one Tab away',
    text: 'Completions that follow your types, your names and what you changed a minute ago. It suggests the next edit, not only the next word.',
    points: ['Knows the whole repository', 'Multi-line edits in place', 'Unlimited on every plan'],
  },
  {
    id: 'everywhere',
    eyebrow: 'Editors',
    title: 'Everywhere software gets built',
    text: 'It is an extension, not another editor to learn. Extensions, themes and keybindings stay as they are, and your account follows you from one editor to the next.',
    points: ['Sign in from the editor in one step', 'Models from several vendors', 'Same credits everywhere'],
  },
] as const

export const platform = [
  {
    title: 'Adaptive learning',
    text: 'Picks up the conventions of your codebase and follows them in what it writes.',
  },
  {
    title: 'Smart automation',
    text: 'Hand over what repeats: migrations, renames, test scaffolding, changelogs.',
  },
  {
    title: 'Data mapping',
    text: 'Follows a value from the database to the screen before it touches any of them.',
  },
  {
    title: 'Predictive analytics',
    text: 'Points at the change that is likely to break something, before you merge it.',
  },
  {
    title: 'Frontier intelligence',
    text: 'Choose the model for the task, from several vendors, without another contract.',
  },
  {
    title: 'Privacy options',
    text: 'Privacy mode keeps your code out of storage and out of training.',
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

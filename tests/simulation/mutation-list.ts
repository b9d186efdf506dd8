export interface Mutation {
  readonly name: string
  readonly file: string
  /** Exactly once in the file. */
  readonly text: string
  readonly becomes: string
  /** The test file that has to find it; `owners` unless told. */
  readonly test?: 'owners' | 'purchases'
}

/** Faults that the product has had, or that would be easy to make. */
export const mutations: readonly Mutation[] = [
  {
    name: 'an old plan’s debt weighs on the new one',
    file: 'worker/books/difference.ts',
    text: 'written_off: isLast && is_superseded ? debt : 0,',
    becomes: 'written_off: 0,',
  },
  {
    name: 'an ended subscription is live',
    file: 'worker/apply/subscription/sync-subscription.ts',
    text: '    ended_at: fetched.ended_at,\n    snapshot_order',
    becomes: '    ended_at: null,\n    snapshot_order',
  },
  {
    name: 'money back leaves months alone that are over',
    file: 'worker/books/position.ts',
    text: 'monthGrant(kind, owner, { ...sourceOf(subscription, invoice_id), ...span }),\n              ...due(credits, facts',
    becomes:
      'monthGrant(kind, owner, { ...sourceOf(subscription, invoice_id), ...span }),\n              ...due(credits, (month.is_over ? { ...facts, invoice_money: new Map<string, never>() } : facts)',
  },
  {
    name: 'added seats are the period’s invoice’s',
    file: 'worker/books/month-shares.ts',
    text: 'parts = resized(parts, after, payer)',
    becomes: 'parts = resized(parts, after, own)',
  },
  {
    name: 'changes of one second in any order',
    file: 'worker/books/month-shares.ts',
    text: 'sameSecond.find(({ seats_before }) => seats_before === seats) ??',
    becomes: '',
  },
  {
    name: 'the most seats that a month has seen are forgotten',
    file: 'worker/books/month-shares.ts',
    text: 'most = Math.max(most, before, after)',
    becomes: 'most = after',
  },
  {
    name: 'seats given up are gone from the month in progress',
    file: 'worker/books/month-shares.ts',
    text: 'changes.filter(({ at }) => at < month.starts_at),',
    becomes: 'changes.filter(({ at, before, after }) => at < (after < before ? until : month.starts_at)),',
  },
  {
    name: 'only the lines that come with an invoice',
    file: 'worker/apply/subscription/paid-lines.ts',
    text: 'const lines: unknown[] = invoice.lines.has_more ? [] : invoice.lines.data\n    if (invoice.lines.has_more) {',
    becomes: 'const lines: unknown[] = invoice.lines.data\n    if (lines.length < 0) {',
  },
  {
    name: 'the promise is held against what was paid',
    file: 'worker/apply/subscription/sync-subscription.ts',
    text: '.flatMap(({ id, currency, lines }) =>\n      lines\n        .filter(isPeriod)\n        .map(({ starts_at, amount_minor }) => ({ id, currency, starts_at, amount_minor })),',
    becomes:
      '.flatMap(({ id, currency, lines, amount_paid_minor }) =>\n      lines\n        .filter(isPeriod)\n        .map(({ starts_at }) => ({ id, currency, starts_at, amount_minor: amount_paid_minor })),',
  },
  {
    name: 'a debt blocks nothing',
    file: 'schema/database/migrations/0010_ledger_grants.sql',
    text: 'IF plan + purchased < ledger_use.credits THEN',
    becomes: 'IF greatest(plan, 0) + greatest(purchased, 0) < ledger_use.credits THEN',
  },
  {
    name: 'bought credits are spent first',
    file: 'schema/database/migrations/0010_ledger_grants.sql',
    text: 'from_plan := least(greatest(plan, 0), ledger_use.credits);',
    becomes: 'from_plan := greatest(ledger_use.credits - greatest(purchased, 0), 0);',
  },
  {
    name: 'a trial is cut as a paid period is',
    file: 'worker/books/billing-months.ts',
    text: '  if (!is_trial) {',
    becomes: '  if (line.seats > 0) {',
  },
  {
    name: 'no period ends early',
    file: 'worker/books/billing-months.ts',
    text: 'const over_at = next ? earlier(line.ends_at, next.line.starts_at) : line.ends_at',
    becomes: 'const over_at = next === undefined || line.ends_at ? line.ends_at : next.line.starts_at',
  },
  {
    name: 'nothing is paid too late',
    file: 'worker/books/facts.ts',
    text: 'return line.paid_at >= period.over_at || isPaidAfterEnd(line, period.subscription)',
    becomes: 'return line.paid_at > line.ends_at && period.over_at < line.starts_at',
  },
  {
    name: 'a manual invoice item is a period',
    file: 'worker/apply/subscription/paid-lines.ts',
    text: 'return line.parent?.subscription_item_details?.proration === false',
    becomes: 'return line.parent?.subscription_item_details?.proration !== true',
  },
  {
    name: 'a share that goes back is rounded up',
    file: 'worker/books/position.ts',
    text: 'Math.floor((gross * Math.min(minor, total_minor)) / total_minor)',
    becomes: 'Math.ceil((gross * Math.min(minor, total_minor)) / total_minor)',
  },
  {
    name: 'a debt ends with its month',
    file: 'worker/books/difference.ts',
    text: 'const left = month.due - used - debt',
    becomes: 'const left = month.due - used',
  },
  {
    name: 'nothing expires',
    file: 'worker/books/difference.ts',
    text: 'expired: -Math.max(0, left),',
    becomes: 'expired: 0,',
  },
  {
    name: 'a year is one month',
    file: 'worker/books/calendar.ts',
    text: 'const longestMonthMs = 35 *',
    becomes: 'const longestMonthMs = 400 *',
  },
  {
    name: 'an older snapshot of a subscription wins',
    file: 'worker/apply/subscription/sync-subscription.ts',
    text: 'if (known && known.snapshot_order >= fetched.snapshot_order) {',
    becomes: 'if (known && known.snapshot_order < 0) {',
  },
  {
    name: 'a won dispute gives nothing back',
    file: 'schema/stripe/statuses.ts',
    text: "won: 'here'",
    becomes: "won: 'gone'",
  },
  {
    name: 'a session that needed no payment grants',
    file: 'worker/apply/decide-checkout.ts',
    text: "if (session.payment_status === 'paid') {",
    becomes: "if (session.payment_status !== 'unpaid') {",
  },
  {
    // The cap on the wait between claims that nothing is heard of is held by schema/sweep/claim-due.test.ts.
    name: 'no cap on the wait while Stripe is away',
    file: 'worker/failures.ts',
    text: 'least: 15_000, most: 10 * minuteMs',
    becomes: 'least: 15_000, most: 1e6 * minuteMs',
  },
  {
    name: 'the hash of an entry without its balance',
    file: 'schema/database/migrations/0005_ledger.sql',
    text: "\n    || coalesce(int8send(version), ''::bytea) || coalesce(int8send(balance_after), ''::bytea))",
    becomes: "\n    || coalesce(int8send(version), ''::bytea))",
  },
]

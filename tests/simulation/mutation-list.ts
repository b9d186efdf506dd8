export interface Mutation {
  readonly name: string
  /** A line of the product, which says the same nowhere else; spaces and line breaks do not matter. See plant.ts. */
  readonly text: string
  readonly becomes: string
  /** The history by hand that has to find it, whether random ones do or not. */
  readonly history?: string
}

/** Faults of holds, and the sums of usage. */
const heldMutations: readonly Mutation[] = [
  {
    name: 'what is held is available',
    history: 'twenty parallel holds of 75 on 500 credits',
    text: 'SELECT owner.plan_balance + owner.purchased_balance - owner.held',
    becomes: 'SELECT owner.plan_balance + owner.purchased_balance',
  },
  {
    name: 'a settlement does not free its hold',
    history: 'a hold and a settlement whose answers are lost',
    text: 'owner.held := owner.held - hold.credits;',
    becomes: '',
  },
  {
    name: 'a settlement occurs when it arrives',
    history: 'a hold of the old month that is settled in the gap of a renewal',
    text: 'transfer.occurred_at := hold.opened_at;',
    becomes: '',
  },
  {
    name: 'a late settlement takes more than is available',
    history: 'a hold that expires while its settlement waits',
    text: 'above := greatest(least(cost - reserved, ledger_available(owner)), 0);',
    becomes:
      "above := CASE hold.state WHEN 'expired' THEN cost ELSE greatest(least(cost - reserved, ledger_available(owner)), 0) END;",
  },
  {
    name: 'a settlement above its hold becomes a debt',
    history: 'a settlement above its hold, with little and with nothing available',
    text: 'above := greatest(least(cost - reserved, ledger_available(owner)), 0);',
    becomes:
      "above := CASE hold.state WHEN 'open' THEN cost - reserved ELSE greatest(least(cost - reserved, ledger_available(owner)), 0) END;",
  },
  {
    name: 'what was reserved is not charged after a clawback',
    history: 'a full refund while credits are held',
    text: 'reserved := least(cost, hold.credits);',
    becomes: 'reserved := least(cost, hold.credits, greatest(0, ledger_available(owner) + hold.credits));',
  },
  {
    name: 'a settlement takes bought credits for what a dispute has taken',
    history: 'a dispute, a settlement, and the dispute won',
    text: 'CALL ledger_use(owner, transfer, least(reserved, hold.plan_credits), reserved, failure, 1);',
    becomes:
      'CALL ledger_use(owner, transfer, least(reserved, hold.plan_credits, greatest(owner.plan_balance, 0)), reserved, failure, 1);',
  },
  {
    name: 'a settlement takes the new month’s credits before bought ones',
    history: 'a hold of more than its month has left, settled in the next one',
    text: 'CALL ledger_use(owner, transfer, least(reserved, hold.plan_credits), reserved, failure, 1);',
    becomes:
      'CALL ledger_use(owner, transfer, least(reserved, greatest(owner.plan_balance, 0)), reserved, failure, 1);',
  },
  {
    name: 'no hold outlives its month',
    history: 'three holds that are open at a month’s end',
    text: "SET outlives_month = h.state = 'open'",
    becomes: 'SET outlives_month = false',
  },
  {
    name: 'all of a month expires, although credits are held',
    history: 'three holds that are open at a month’s end',
    text: 'expired: -Math.max(0, left - heldOf(month)),',
    becomes: 'expired: -Math.max(0, left),',
  },
  {
    name: 'a hold in the gap of a renewal belongs to the month before',
    history: 'a hold in the gap of a renewal',
    text: 'const begun = months.filter(({ usage_from }) => usage_from <= opened_at)',
    becomes:
      'const begun = months.filter(({ usage_from }) => usage_from.getTime() <= opened_at.getTime() - 7_200_000)',
  },
  {
    name: 'usage takes what a hold of the month before reserves',
    history: 'usage of all of a new month beside a hold of the one before',
    text: 'SELECT least(credits, greatest(owner.plan_balance - owner.plan_held, 0))',
    becomes: 'SELECT least(credits, greatest(owner.plan_balance, 0))',
  },
  {
    name: 'what bought credits paid beside a hold stays so, and the rest of the month expires',
    history: 'bought credits that paid beside a hold of which most is left at the month’s end',
    text: 'const room = month.due - debt - used - heldOf(month)',
    becomes: 'const room = 0',
  },
  {
    name: 'what Teams gives back of Pro is decided while credits are held',
    history: 'Pro whose place Teams takes while credits are held, which are released',
    text: 'if (held_until) {',
    becomes: 'if (held_until && held_until < now) {',
  },
  {
    name: 'a settlement is no request in the sums of usage',
    history: 'a hold and a settlement whose answers are lost',
    text: 'CALL ledger_use(owner, transfer, least(reserved, hold.plan_credits), reserved, failure, 1);',
    becomes: 'CALL ledger_use(owner, transfer, least(reserved, hold.plan_credits), reserved, failure, 0);',
  },
  {
    name: 'what is above a hold is a request of its own',
    history: 'a settlement above its hold, with little and with nothing available',
    text: 'above, NULL, CASE WHEN reserved > 0 THEN 0 ELSE 1 END);',
    becomes: 'above, NULL, 1);',
  },
  {
    name: 'the editor that settles is the one that is charged',
    history: 'two editors of one person',
    text: "SELECT 'hold/' || hold.id, moment, hold.actor, hold.reason, hold.token_id,",
    becomes: "SELECT 'hold/' || hold.id, moment, hold.actor, hold.reason, NULL,",
  },
  {
    name: 'a failure does not take its key',
    history: 'failures: a report, a settlement, and a late one',
    text: 'INSERT INTO ledger_keys (owner_id, idempotency_key, input_hash) VALUES (owner.owner_id, transfer.idempotency_key, transfer.input_hash);',
    becomes: '',
  },
  {
    name: 'a late failure is not counted',
    history: 'failures: a report, a settlement, and a late one',
    text: 'IF reserved > 0 OR failure IS NOT NULL THEN',
    becomes: "IF reserved > 0 OR failure IS NOT NULL AND hold.state = 'open' THEN",
  },
  {
    name: 'usage is refused for a hold that has expired',
    history: 'a hold that is never settled',
    text: 'OR ledger_available(owner) < request.credits - (CASE',
    becomes: "OR request.action <> 'use' AND ledger_available(owner) < request.credits - (CASE",
  },
  {
    name: 'a hold is refused for one that has expired',
    history: 'a hold that stands in the way of another, and expires',
    text: 'OR ledger_available(owner) < request.credits - (CASE',
    becomes: "OR request.action <> 'reserve' AND ledger_available(owner) < request.credits - (CASE",
  },
  {
    name: 'extending moves the month',
    history: 'a hold that is extended in the gap of a renewal',
    text: 'SET extended_at = request.occurred_at,',
    becomes: 'SET extended_at = request.occurred_at, opened_at = request.occurred_at,',
  },
  {
    name: 'a hold is extended beyond a day',
    history: 'a hold that is extended over 106 minutes',
    text: 'least(request.occurred_at + make_interval(secs => request.lasting), h.opened_at + hold_lasts_max))',
    becomes: 'request.occurred_at + make_interval(secs => request.lasting))',
  },
  {
    name: 'a settlement is taken however late it is',
    history: 'a hold whose settlement comes after a day',
    text: "hold.state = 'expired' AND request.occurred_at <= hold.expires_at + hold_lasts_max) THEN",
    becomes: "hold.state = 'expired') THEN",
  },
  {
    name: 'another settlement is taken for the same',
    history: 'a settlement of 75, 75, then 76',
    text: "WHEN (hold.settled_credits, coalesce(hold.failure, '')) = (request.credits, coalesce(request.failure, ''))",
    becomes: 'WHEN hold.settled_credits IS NOT NULL',
  },
]

/** Faults that the product has had, or that would be easy to make. */
export const mutations: readonly Mutation[] = [
  {
    name: 'an old plan’s debt weighs on the new one',
    history: 'debt of an ended plan before and after a new one',
    text: 'written_off: is_last ? debt : 0,',
    becomes: 'written_off: 0,',
  },
  {
    name: 'an ended subscription is live',
    history: 'old plan refunded under a new one',
    text: '    ended_at: fetched.ended_at,\n    price_minor',
    becomes: '    ended_at: null,\n    price_minor',
  },
  {
    name: 'an end counts only when our clock has come to it',
    history: 'ended while our clock is behind',
    text: 'is_over: ended_at !== null || index',
    becomes: 'is_over: (ended_at !== null && ended_at <= now) || index',
  },
  {
    name: 'money back leaves months alone that are over',
    history: 'a used year refunded in parts, months apart',
    text: 'monthGrant(kind, owner, { ...sourceOf(subscription, invoice_id), ...span }),\n            ...due(credits, facts',
    becomes:
      'monthGrant(kind, owner, { ...sourceOf(subscription, invoice_id), ...span }),\n            ...due(credits, (month.is_over ? { ...facts, invoice_money: new Map<string, never>() } : facts)',
  },
  {
    name: 'added seats are the period’s invoice’s',
    history: 'seats added to a year and refunded',
    text: 'parts = resized([...parts, ...again], after, { invoice_id, is_late })',
    becomes: 'parts = resized([...parts, ...again], after, own)',
  },
  {
    name: 'changes of one second in any order',
    history: 'the second of two seat changes in one second refunded, twice',
    text: 'following.find((next) => leadsToOthers(next, sameSecond)) ??',
    becomes: 'sameSecond.toSorted((a, b) => b.seats - a.seats)[0] ??',
  },
  {
    name: 'the first change that follows on, although it leaves others behind',
    history: 'seats added, given up and added again in one second',
    text: 'following.find((next) => leadsToOthers(next, sameSecond)) ??',
    becomes: '',
  },
  {
    name: 'the most seats that a month has seen are forgotten',
    history: 'three seat changes in one second',
    text: 'most = Math.max(most, before, after)',
    becomes: 'most = after',
  },
  {
    name: 'seats given up are gone from the month in progress',
    history: 'seats added twice and given up at once',
    text: 'const first = changes.findIndex(({ at }) => at >= month.starts_at)',
    becomes:
      'const first = changes.findIndex(({ at, before, after }) => at >= (after < before ? until : month.starts_at))',
  },
  {
    name: 'only the lines that come with an invoice',
    history: 'a renewal of more than ten lines',
    text: 'if (!lines.has_more) return lines.data',
    becomes: 'if (lines.data.length > 0) return lines.data',
  },
  {
    name: 'the terms are compared with the payment',
    history: 'a plan paid from a credit balance',
    text: '.flatMap(({ id, currency, lines }) =>\n      lines\n        .filter(isPeriod)\n        .map(({ starts_at, ends_at, amount_minor }) => ({ id, currency, starts_at, ends_at, amount_minor })),',
    becomes:
      '.flatMap(({ id, currency, lines, amount_paid_minor: amount_minor }) =>\n      lines\n        .filter(isPeriod)\n        .map(({ starts_at, ends_at }) => ({ id, currency, starts_at, ends_at, amount_minor })),',
  },
  {
    name: 'a debt blocks nothing',
    history: 'usage up to a debt and beyond it',
    text: 'request.failure IS NULL AND ledger_available(owner) < request.credits THEN',
    becomes:
      'request.failure IS NULL AND greatest(owner.plan_balance, 0) + greatest(owner.purchased_balance, 0) < request.credits THEN',
  },
  {
    name: 'bought credits are spent first',
    history: 'debt of an ended plan before and after a new one',
    text: 'CALL ledger_use(owner, transfer, ledger_of_plan(owner, request.credits), request.credits, request.failure, 1);',
    becomes:
      'CALL ledger_use(owner, transfer, greatest(request.credits - greatest(owner.purchased_balance, 0), 0), request.credits, request.failure, 1);',
  },
  {
    name: 'a trial is cut as a paid period is',
    history: 'a trial ended early',
    text: '  if (!is_trial) {',
    becomes: '  if (line.seats > 0) {',
  },
  {
    name: 'no period ends early',
    history: 'a changed billing anchor',
    text: 'const over_at = cutsOf(line, { lines, subscription }).reduce(earlier, line.ends_at)',
    becomes: 'const over_at = cutsOf(line, { lines, subscription }).reduce(later, line.ends_at)',
  },
  {
    name: 'the cut without money back',
    history: 'a year moved by a trial for which nothing is given back',
    text: 'const over_at = cutsOf(line, { lines, subscription }).reduce(earlier, line.ends_at)',
    becomes:
      'const over_at = periods.map((other) => other.line.starts_at).filter((at) => at > line.starts_at).reduce(earlier, line.ends_at)',
  },
  {
    name: 'nothing is paid too late',
    history: 'paid after Stripe gave up, unused',
    text: 'return line.paid_at >= period.over_at || isPaidAfterEnd(line, period.subscription)',
    becomes: 'return line.paid_at > line.ends_at && period.over_at < line.starts_at',
  },
  {
    name: 'a manual invoice item is a period',
    history: 'one manual item',
    text: 'return line.parent?.subscription_item_details?.proration === false',
    becomes: 'return line.parent?.subscription_item_details?.proration !== true',
  },
  {
    name: 'a share that goes back is rounded up',
    text: 'Math.floor((gross * Math.min(minor, total_minor)) / total_minor)',
    becomes: 'Math.ceil((gross * Math.min(minor, total_minor)) / total_minor)',
  },
  {
    name: 'the month by arrival',
    history: 'usage between a renewal and its event',
    text: 'const since = taken.get(nameOf(month))',
    becomes: 'const since = month.due < 0 ? taken.get(nameOf(month)) : undefined',
  },
  {
    name: 'a debt ends with its month',
    history: 'a used month refunded, and the months after',
    text: 'const left = month.due - used - debt',
    becomes: 'const left = month.due - used',
  },
  {
    name: 'nothing expires',
    history: 'a coupon of 100 %',
    text: 'expired: -Math.max(0, left - heldOf(month)),',
    becomes: 'expired: 0,',
  },
  {
    name: 'a year is one month',
    history: 'a used year refunded in parts, months apart',
    text: 'const longestMonthMs = 35 *',
    becomes: 'const longestMonthMs = 400 *',
  },
  {
    name: 'an older snapshot of a subscription wins',
    history: 'an end that was not seen',
    text: 'if (known && known.snapshot_order >= fetched.snapshot_order) {',
    becomes: 'if (known && known.snapshot_order < 0) {',
  },
  {
    name: 'only the first dispute of a charge',
    history: 'a charge that is disputed twice',
    text: 'disputes.reduce((sum, dispute) => sum + (disputedMinor(dispute) ?? 0), 0)',
    becomes: 'disputes.slice(-1).reduce((sum, dispute) => sum + (disputedMinor(dispute) ?? 0), 0)',
  },
  {
    name: 'only the first charge of an invoice',
    history: 'an invoice paid in two parts, which are refunded one after the other',
    text: 'refunded_minor: charges.reduce((sum, charge) => sum + charge.refunded_minor, 0) - unused,',
    becomes:
      'refunded_minor: charges.slice(0, 1).reduce((sum, charge) => sum + charge.refunded_minor, 0) - unused,',
  },
  {
    name: 'a refund for the unused part of a plan takes credits back',
    history: 'a year of Pro whose place Teams takes',
    text: 'const unused = charges.reduce((sum, charge) => sum + (charge.unused_refund_minor ?? 0), 0)',
    becomes: 'const unused = 0',
  },
  {
    name: 'a refund before that for the unused part takes more than its share',
    history: 'a year of Pro whose place Teams takes after a part was refunded',
    text: 'sum + (charge.refunded_before_minor ?? 0), 0)',
    becomes: 'sum + 0 * (charge.refunded_before_minor ?? 0), 0)',
  },
  {
    name: 'unused credits are refunded beyond the unused time',
    history: 'a month of Pro whose place Teams takes',
    text: 'Math.max(0, Math.floor(Math.min(byCredits, byTime)))',
    becomes: 'Math.max(0, Math.floor(byCredits))',
  },
  {
    name: 'the currency of a plan is not compared',
    history: 'a plan sold by hand for an open page, in another currency',
    text: 'first.amount_minor !== expectedMinor || first.currency !== intent.currency',
    becomes: 'first.amount_minor !== expectedMinor',
  },
  {
    name: 'what was forgiven counts as paid',
    history: 'a part of an invoice forgiven before the payment, and what was paid refunded',
    text: 'total_minor: invoice.total - invoice.pre_payment_credit_notes_amount,',
    becomes: 'total_minor: invoice.total,',
  },
  {
    name: 'a refund that failed counts',
    history: 'a refund that the bank sends back',
    text: "status !== 'failed' && status !== 'canceled'",
    becomes: "status !== 'canceled'",
  },
  {
    name: 'changes of one second that follow on from an unpaid one, in any order',
    history: 'seats added unpaid, given up and added again in one second',
    text: 'sameSecond.find(({ seats }) => seats !== led) ??\n      first',
    becomes: 'first',
  },
  {
    name: 'a won dispute gives nothing back',
    history: 'bought credits that stood in for a disputed plan',
    text: "won: 'here'",
    becomes: "won: 'gone'",
  },
  {
    name: 'no cap on the wait while Stripe is away',
    history: 'Stripe away for 20 hours',
    text: 'least: 15_000, most: 10 * minuteMs',
    becomes: 'least: 15_000, most: 1e6 * minuteMs',
  },
  {
    name: 'the hash of an entry without its balance',
    text: "\n    || coalesce(int8send(version), ''::bytea) || coalesce(int8send(balance_after), ''::bytea))",
    becomes: "\n    || coalesce(int8send(version), ''::bytea))",
  },
  {
    name: 'no cap on the wait between claims',
    history: 'every job lost for five hours',
    text: 'const longestWaitMs = 10 * 60 * 1000',
    becomes: 'const longestWaitMs = 1e6 * 60 * 1000',
  },
  {
    name: 'an older snapshot of a charge wins',
    history: 'a refund that was not seen',
    text: "\n        .where('charges.snapshot_order', '<', snapshot_order)",
    becomes: '',
  },
  {
    name: 'a snapshot is numbered when it has come',
    history: 'an end that was not seen',
    text: "  const snapshot_order = await nextSnapshotOrder(deps.db)\n  const retrieved = await deps.stripe.subscriptions.retrieve(id, {\n    expand: ['schedule.phases.items.price'],\n  })\n",
    becomes:
      "  const retrieved = await deps.stripe.subscriptions.retrieve(id, {\n    expand: ['schedule.phases.items.price'],\n  })\n  const snapshot_order = await nextSnapshotOrder(deps.db)\n",
  },
  {
    name: 'a first payment that failed leaves its checkout open',
    history: 'a first payment that fails',
    text: "if (fetched.status !== 'incomplete_expired' && fetched.status !== 'canceled') {",
    becomes: "if (fetched.status !== 'canceled') {",
  },
  {
    name: 'a first payment that is still open counts as made',
    history: 'a first payment of a team that fails',
    text: '  if (!known && !wasBought(fetched)) return applyUnpaid(trx, ordered, fetched)\n',
    becomes: '',
  },
  {
    name: 'a deleted customer is not replaced',
    history: 'a customer deleted before credits are bought',
    text: 'if (known && (await isThere(deps.stripe, known))) return known',
    becomes: 'if (known) return known',
  },
  {
    name: 'what is unavailable costs an attempt',
    history: 'Stripe away for 20 hours',
    text: "return isUnavailable(error) ? 'unavailable' : 'defect'",
    becomes: "return isUnavailable(error) ? 'not_yet' : 'defect'",
  },
  {
    name: 'a contradiction is tried again',
    history: 'a plan sold by hand for an open page, in another currency',
    text: "    case 'contradiction':\n      return { kind, next: 'give_up' }",
    becomes:
      "    case 'contradiction':\n      return { kind, next: 'retry', wait_ms: unavailableWaitMs.most }",
  },
  {
    name: 'the reader of events leaves refunds and disputes out',
    history: 'a refund without an event',
    text: 'types: listedEventTypes,',
    becomes: 'types: listedEventTypes.filter((type) => !/refund|dispute/.test(type)),',
  },
  {
    name: 'the reader of events reads nothing twice',
    history: 'a refund without an event, and Stripe lists late',
    text: 'const overlapMs = 10 * minuteMs',
    becomes: 'const overlapMs = 0 * minuteMs',
  },
  {
    name: 'seats are not compared with memberships',
    history: 'colleagues whom Clerk does not announce',
    text: 'corrected += await compareOrganization(deps, organizationId)',
    becomes: 'corrected += 0',
  },
  {
    name: 'a page that is left can still be paid',
    history: 'a page left for another',
    text: "if (session.status === 'expired' || (await expireSession(deps.stripe, session.id))) {",
    becomes: "if (session.status !== 'complete') {",
  },
  {
    name: 'a page is found again for other terms',
    history: 'a page left for another',
    text: 'return fields.every((field) => open[field] === wanted[field])',
    becomes: 'return fields.length > 0 && open.user_id === wanted.user_id',
  },
  {
    name: 'a killed server’s page is opened again for other terms',
    history: 'another page than that of a killed server',
    text: 'haveSameTerms(found, wanted) ? await awaitSession(deps, collision, requestLog) : found',
    becomes: 'await awaitSession(deps, collision, requestLog)',
  },
  {
    name: 'a killed server’s page is made a second time',
    history: 'a page whose server was killed',
    text: '{ idempotencyKey: intent.id, maxNetworkRetries: 0 },',
    becomes: '{ maxNetworkRetries: 0 },',
  },
  {
    name: 'credits that support takes away stay',
    history: 'acts of support around a refund, and a worker that dies in one of them',
    text: "ordinal: 1, credits, kind: 'adjustment'",
    becomes: "ordinal: 1, credits: Math.abs(credits), kind: 'adjustment'",
  },
  ...heldMutations,
]

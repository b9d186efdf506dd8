import type {
  CaseSummary,
  SupportMatch,
  SupportTrace,
  TraceItem,
  WorkList,
} from '../../../schema/api/support.ts'
import { actsOn, replayOf } from '../../../web/content/support/acts.ts'
import { describeInCase, inOneSentence, noticesOf, problemsOf } from '../../../web/content/support/case.ts'
import { titleOf, unknownForm } from '../../../web/content/support/timeline.ts'
import type { TextContext } from '../../../web/content/support/words.ts'

/** What support staff read of an item, beside what the answer has. */
function itemInWords(item: TraceItem, context: TextContext, summary: CaseSummary | null = null) {
  const { details = [], ...text } = describeInCase(summary, item, context)
  if (text.error === unknownForm) throw new Error(`Not shown in words: ${JSON.stringify(item)}`)
  return { ...item, ...text, detail: details.join(' '), acts: actsOn(item) }
}

export function traceInWords(trace: SupportTrace) {
  const { case_summary, highlighted, owner } = trace
  const problems = case_summary ? problemsOf(case_summary, owner?.id ?? '') : []
  const notices = case_summary ? noticesOf(case_summary, owner?.id ?? '') : []
  return {
    ...trace,
    timeline: trace.timeline.map((item) => itemInWords(item, trace, case_summary)),
    highlighted: highlighted && itemInWords(highlighted, trace),
    case_summary: case_summary && {
      ...case_summary,
      problems,
      sentence: inOneSentence(problems, case_summary, notices),
      notices,
    },
  }
}

export function matchInWords(match: SupportMatch, context: TextContext) {
  return { ...match, title: titleOf(match, context), item_key: match.item?.key ?? null }
}

export function workInWords(work: WorkList) {
  const rows = work.rows.map(({ item, ...row }) => ({
    ...itemInWords(item, work),
    replay: replayOf(item),
    ...row,
  }))
  return { ...work, rows }
}

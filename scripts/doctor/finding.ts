/** A check's result: good, or a problem with its meaning and repair. */
export type Finding =
  | { readonly of: string; readonly level: 'ok'; readonly text: string }
  | {
      readonly of: string
      /** A warning is for something that works today. */
      readonly level: 'problem' | 'warning'
      readonly text: string
      readonly means: string
      readonly repair: string
    }

type Advice = Omit<Extract<Finding, { level: 'problem' | 'warning' }>, 'of' | 'level'>

export const ok = (of: string, text: string): Finding => ({ of, level: 'ok', text })
export const problem = (of: string, advice: Advice): Finding => ({ of, level: 'problem', ...advice })
export const warning = (of: string, advice: Advice): Finding => ({ of, level: 'warning', ...advice })

const marks = { ok: '✓', warning: '!', problem: '✗' } as const

/** For a terminal; the last line says how it stands. */
export function renderFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ of }) => of.length))
  const lines = findings.flatMap((finding) => {
    const head = `${marks[finding.level]} ${finding.of.padEnd(width)}  ${finding.text}`
    if (finding.level === 'ok') return [head]
    const indent = ' '.repeat(width + 4)
    return [head, `${indent}what it means: ${finding.means}`, `${indent}how to repair it: ${finding.repair}`]
  })
  const count = (level: Finding['level']) => findings.filter((finding) => finding.level === level).length
  const summary = `${count('ok')} well, ${count('warning')} to look at, ${count('problem')} wrong`
  return [...lines, '', summary].join('\n')
}

import type { ReactNode } from 'react'

const code = 'rounded-sm bg-sunken px-1 py-px font-mono text-sm ring-1 ring-line'
const headings = {
  1: 'text-4xl sm:text-5xl',
  2: 'mt-14 border-t pt-10 text-2xl sm:text-3xl',
  3: 'mt-10 text-xl',
} as const

/**
 * The part of Markdown that our documents are written in: headings, paragraphs, lists, tables and code, with
 * links, strong words and code in their lines. It makes elements and no markup.
 */
export function Markdown({ text }: { text: string }): ReactNode {
  const lines = text.split('\n')
  const blocks: ReactNode[] = []
  const takeWhile = (belongs: (line: string) => boolean): string[] => {
    const end = lines.findIndex((line) => !belongs(line))
    return lines.splice(0, end === -1 ? lines.length : end)
  }
  for (let line = lines[0]; line !== undefined; line = lines[0]) {
    const key = blocks.length
    if (line.startsWith('```')) {
      lines.shift()
      blocks.push(<CodeBlock key={key}>{takeWhile((next) => !next.startsWith('```')).join('\n')}</CodeBlock>)
      lines.shift()
    } else if (line.startsWith('#')) {
      blocks.push(<Heading key={key} line={line} />)
      lines.shift()
    } else if (line.startsWith('|')) {
      blocks.push(<Table key={key} rows={takeWhile((next) => next.startsWith('|')).map(cellsOf)} />)
    } else if (line.startsWith('- ')) {
      const items = takeWhile((next) => next !== '')
        .join('\n')
        .slice(2)
        .split('\n- ')
      blocks.push(
        <ul key={key} className="mt-4 list-disc space-y-2 pl-5 marker:text-accent-text">
          {items.map((item) => (
            <li key={item}>{inline(item)}</li>
          ))}
        </ul>,
      )
    } else if (line === '') lines.shift()
    else
      blocks.push(
        <p key={key} className="mt-4">
          {inline(takeWhile((next) => next !== '').join('\n'))}
        </p>,
      )
  }
  return blocks
}

/** As GitHub names them, which the links of our documents rely on. */
export function headingId(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

function Heading({ line }: { line: string }) {
  const level = line.startsWith('###') ? 3 : line.startsWith('##') ? 2 : 1
  const Tag = `h${level}` as const
  const title = line.slice(level + 1)
  return (
    <Tag id={headingId(title)} className={headings[level]}>
      {inline(title)}
    </Tag>
  )
}

/** Its lines break, so that a phone shows all of them. */
function CodeBlock({ children }: { children: string }) {
  return (
    <pre className="mt-4 whitespace-pre-wrap rounded-card border bg-sunken p-4 font-mono text-xs leading-5">
      <code>{children}</code>
    </pre>
  )
}

function cellsOf(row: string): string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}

function Table({ rows: [head = [], , ...rows] }: { rows: string[][] }) {
  return (
    <table className="mt-6 w-full border-collapse text-left text-sm">
      <thead>
        <tr className="border-b">
          {head.map((cell) => (
            <th key={cell} scope="col" className="py-2 pr-3 font-semibold">
              {inline(cell)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row[0]} className="border-b align-top">
            {row.map((cell, column) => (
              <td key={head[column]} className="py-2.5 pr-3">
                {inline(cell)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A link to another file of the repository is its text alone. */
function inline(text: string): ReactNode {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*|\[[^\]]+\]\([^)]+\))/).map((part, index) => {
    const key = `${index} ${part}`
    if (part.startsWith('`') && part.length > 1) {
      return (
        <code key={key} className={code}>
          {part.slice(1, -1)}
        </code>
      )
    }
    if (part.startsWith('**')) return <strong key={key}>{part.slice(2, -2)}</strong>
    const [, label, href = ''] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(part) ?? []
    if (label === undefined) return part
    if (!/^(#|https:)/.test(href)) return label
    return (
      <a key={key} href={href} className="text-accent-text underline underline-offset-4">
        {label}
      </a>
    )
  })
}

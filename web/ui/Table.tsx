import { type ComponentProps, createContext, useContext } from 'react'
import { cn } from './cn.ts'

export interface Column {
  readonly name: string
  /** For a column of buttons, whose name only a screen reader needs. */
  readonly isNameHidden?: boolean
  readonly align?: 'right'
  /** Left out where there is little room; its content then stands elsewhere in the row. */
  readonly isWide?: boolean
}

interface TableProps {
  /** What is in it, for a screen reader. */
  caption: string
  columns: readonly Column[]
  /** One `tbody` or several. */
  children: ComponentProps<'table'>['children']
}

const Columns = createContext<readonly Column[]>([])

export function Table({ caption, columns, children }: TableProps) {
  return (
    <div className="@container">
      <table className="w-full text-sm tabular-nums">
        <caption className="sr-only">{caption}</caption>
        <thead className="border-y bg-sunken text-left text-faint text-xs">
          <tr>
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                className={cn(cellStyle(column), 'whitespace-nowrap py-2 font-medium')}
              >
                {column.isNameHidden ? <span className="sr-only">{column.name}</span> : column.name}
              </th>
            ))}
          </tr>
        </thead>
        <Columns value={columns}>{children}</Columns>
      </table>
    </div>
  )
}

/** A cell in the column of that name. */
export function Cell({ of, className, ...props }: ComponentProps<'td'> & { of: string }) {
  const column = useContext(Columns).find(({ name }) => name === of)
  return <td className={cn(column && cellStyle(column), className)} {...props} />
}

function cellStyle({ align, isWide }: Column): string {
  return cn(
    'px-2 py-3 first:pl-5 last:pr-5 sm:px-3 sm:first:pl-6 sm:last:pr-6',
    align === 'right' && 'text-right',
    isWide && 'hidden @2xl:table-cell',
  )
}

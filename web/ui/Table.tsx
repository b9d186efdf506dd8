import {
  type ComponentProps,
  createContext,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react'
import { cn } from './cn.ts'

export interface Column {
  readonly name: string
  /** Instead of the name, where that is for cells and keys alone. */
  readonly head?: ReactNode
  /** Its cells name their rows, and stay in view while the others scroll. */
  readonly namesRow?: boolean
  readonly align?: 'right'
  /** Left out where there is little room; its content then stands elsewhere in the row. */
  readonly isWide?: boolean
}

interface TableProps {
  /** What is in it, for a screen reader. */
  caption: string
  columns: readonly Column[]
  size?: keyof typeof sizes
  className?: string
  /** One `tbody` or several, and a `tfoot`. */
  children: ComponentProps<'table'>['children']
}

/** The room within cells, and that at the edges of a card. */
const sizes = {
  roomy: {
    edges: '[--cell:0.5rem] [--edge:1.25rem] sm:[--cell:0.75rem] sm:[--edge:1.5rem]',
    head: 'py-2',
    cell: 'py-3',
  },
  dense: { edges: '[--cell:0.625rem] [--edge:1rem] sm:[--cell:0.75rem]', head: 'py-1.5', cell: 'py-1.5' },
}

const Layout = createContext<{ columns: readonly Column[]; size: keyof typeof sizes }>({
  columns: [],
  size: 'roomy',
})

/** Where there is less room it scrolls within its card, by keys too, with a faded end while there is more. */
export function Table({ caption, columns, size = 'roomy', className, children }: TableProps) {
  const box = useRef<HTMLDivElement>(null)
  const hidden = useHiddenColumns(box)
  return (
    <div
      ref={box}
      {...(hidden !== 'never' && { role: 'group', tabIndex: 0, 'aria-label': caption })}
      className={cn(
        '@container overflow-x-auto focus-visible:-outline-offset-2',
        hidden === 'more' && '[mask-image:linear-gradient(to_right,black_calc(100%-2rem),transparent)]',
        sizes[size].edges,
        className,
      )}
    >
      {/* Rows are opaque, so that nothing shows through the cells that stay in view. */}
      <table className="w-full text-sm tabular-nums [:where(&>:not(thead)>tr)]:bg-surface">
        <caption className="sr-only">{caption}</caption>
        <thead className="border-b bg-sunken text-faint text-xs">
          <tr className="bg-inherit">
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                className={cn(cellStyle(column, columns), sizes[size].head, 'whitespace-nowrap font-medium')}
              >
                {column.head ?? column.name}
              </th>
            ))}
          </tr>
        </thead>
        <Layout value={{ columns, size }}>{children}</Layout>
      </table>
    </div>
  )
}

/** Whether columns are out of sight to the right: never, not at the end of the row, or at present. */
function useHiddenColumns(ref: RefObject<HTMLElement | null>): 'never' | 'no more' | 'more' {
  const [hidden, setHidden] = useState<'never' | 'no more' | 'more'>('never')
  useEffect(() => {
    const box = ref.current
    if (!box) return
    const look = () => {
      const most_px = box.scrollWidth - box.clientWidth
      setHidden(most_px <= 1 ? 'never' : box.scrollLeft >= most_px - 1 ? 'no more' : 'more')
    }
    const observer = new ResizeObserver(look)
    for (const element of [box, ...box.children]) observer.observe(element)
    box.addEventListener('scroll', look, { passive: true })
    return () => {
      observer.disconnect()
      box.removeEventListener('scroll', look)
    }
  }, [ref])
  return hidden
}

/** A cell in the column of that name. */
export function Cell({ of, className, ...props }: ComponentProps<'td'> & { of: string }) {
  const { columns, size } = useContext(Layout)
  const column = columns.find(({ name }) => name === of)
  const style = cn(column && cellStyle(column, columns), sizes[size].cell, className)
  return column?.namesRow ? (
    <th scope="row" className={cn('[:where(&)]:font-normal', style)} {...props} />
  ) : (
    <td className={style} {...props} />
  )
}

function cellStyle(column: Column, columns: readonly Column[]): string {
  const narrow = columns.filter(({ isWide }) => !isWide)
  return cn(
    'px-(--cell)',
    column === columns[0] ? 'pl-(--edge)' : column === narrow[0] && '@max-2xl:pl-(--edge)',
    column === columns.at(-1) ? 'pr-(--edge)' : column === narrow.at(-1) && '@max-2xl:pr-(--edge)',
    column.align === 'right' ? 'text-right' : 'text-left',
    column.namesRow && 'sticky left-0 bg-inherit',
    column.isWide && 'hidden @2xl:table-cell',
  )
}

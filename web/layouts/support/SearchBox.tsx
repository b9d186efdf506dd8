import { Search } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router-dom'
import { searchAddress } from '../../components/support/addresses.ts'
import { useKeys } from '../../components/support/useKeys.ts'

/** Always there: one field for an e-mail address and for every id. */
export function SearchBox() {
  const { pathname, search } = useLocation()
  const asked = pathname === '/support/search' ? (new URLSearchParams(search).get('q') ?? '') : null
  const [text, setText] = useState(asked ?? '')
  const [known, setKnown] = useState(asked)
  const navigate = useNavigate()
  const field = useRef<HTMLInputElement>(null)
  // The field shows the search of the URL.
  if (known !== asked) {
    setKnown(asked)
    if (asked !== null) setText(asked)
  }
  useKeys({ '/': () => field.current?.select() })

  function submit(event: FormEvent) {
    event.preventDefault()
    const q = text.trim()
    if (q) void navigate(searchAddress(q))
  }

  return (
    <search className="min-w-0 flex-1">
      <form onSubmit={submit} className="relative max-w-2xl">
        <Search aria-hidden="true" className="absolute top-2.5 left-3 size-4 text-faint" />
        <input
          ref={field}
          type="search"
          aria-label="Search support"
          aria-keyshortcuts="/"
          placeholder="Email address, name or any id"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={320}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => event.key === 'Escape' && event.currentTarget.blur()}
          className="h-9 w-full rounded-control border border-line-strong bg-surface pr-9 pl-9 text-sm shadow-low placeholder:text-faint"
        />
        {text === '' && (
          <span
            aria-hidden="true"
            className="pointer-events-none absolute top-2 right-2 hidden size-5 place-items-center sm:grid rounded border bg-sunken font-sans text-2xs text-muted"
          >
            /
          </span>
        )}
      </form>
    </search>
  )
}

import { Monitor, Moon, Sun } from 'lucide-react'
import { useTheme } from 'next-themes'
import { useId } from 'react'
import { useHydrated } from './useHydrated.ts'

const themes = [
  { value: 'light', label: 'Light theme', Icon: Sun },
  { value: 'dark', label: 'Dark theme', Icon: Moon },
  { value: 'system', label: 'System theme', Icon: Monitor },
]

export function ThemeSwitch() {
  const { theme, setTheme } = useTheme()
  // The server does not know which theme is chosen.
  const chosen = useHydrated() ? (theme ?? 'system') : undefined
  const name = useId()
  return (
    <fieldset className="inline-flex rounded-full border bg-sunken p-0.5">
      <legend className="sr-only">Theme</legend>
      {themes.map(({ value, label, Icon }) => (
        <label
          key={value}
          title={label}
          className="relative grid size-7 place-items-center rounded-full text-faint hover:text-ink has-checked:bg-surface has-checked:text-ink has-checked:shadow-low has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:outline-offset-2"
        >
          <input
            type="radio"
            name={name}
            aria-label={label}
            checked={value === chosen}
            onChange={() => setTheme(value)}
            className="absolute inset-0 cursor-pointer appearance-none rounded-full outline-none"
          />
          <Icon aria-hidden="true" className="size-3.5" />
        </label>
      ))}
    </fieldset>
  )
}

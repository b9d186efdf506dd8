import { Monitor, Moon, Sun } from 'lucide-react'
import { useTheme } from 'next-themes'
import { ToggleGroup } from 'radix-ui'

const themes = [
  { value: 'light', label: 'Light theme', Icon: Sun },
  { value: 'dark', label: 'Dark theme', Icon: Moon },
  { value: 'system', label: 'System theme', Icon: Monitor },
]

export function ThemeSwitch() {
  const { theme, setTheme } = useTheme()
  return (
    <ToggleGroup.Root
      type="single"
      value={theme ?? 'system'}
      onValueChange={(value) => value && setTheme(value)}
      aria-label="Theme"
      className="inline-flex rounded-full border bg-sunken p-0.5"
    >
      {themes.map(({ value, label, Icon }) => (
        <ToggleGroup.Item
          key={value}
          value={value}
          aria-label={label}
          className="grid size-7 place-items-center rounded-full text-faint hover:text-ink data-[state=on]:bg-surface data-[state=on]:text-ink data-[state=on]:shadow-low"
        >
          <Icon aria-hidden="true" className="size-3.5" />
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}

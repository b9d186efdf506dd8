import { useWebConfig } from '../../api/catalogue.ts'
import type { MarketingPath } from '../../content/paths.ts'
import { Dropdown } from '../../ui/Dropdown.tsx'
import { resources } from './resources.ts'

export function ResourcesMenu({ path, className }: { path: MarketingPath; className: string }) {
  const { brand } = useWebConfig()
  return (
    <Dropdown label="Resources" className={className}>
      <ul>
        {resources(brand).map(({ label, note, href }) => (
          <li key={label}>
            <a
              href={href}
              aria-current={href === path ? 'page' : undefined}
              className="block rounded-md px-3 py-2 transition-colors hover:bg-hover"
            >
              <span className="block font-medium text-sm">{label}</span>
              <span className="block text-muted text-xs">{note}</span>
            </a>
          </li>
        ))}
      </ul>
    </Dropdown>
  )
}

import { ChevronDown } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { Brand } from '../../../schema/catalogue/brand.ts'
import { useWebConfig } from '../../api/catalogue.ts'
import { cn } from '../../ui/cn.ts'

export function ResourcesMenu({ className }: { className: string }) {
  const { brand } = useWebConfig()
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger className={cn(className, 'group flex items-center gap-1')}>
        Resources
        <ChevronDown
          aria-hidden="true"
          className="size-3.5 transition-transform group-data-[state=open]:rotate-180"
        />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content
        sideOffset={8}
        className="z-40 w-64 animate-fade-in rounded-card border bg-surface p-1.5 shadow-float"
      >
        {resources(brand).map(({ label, note, href }) => (
          <DropdownMenu.Item key={label} asChild>
            <a href={href} className="block rounded-md px-3 py-2 outline-none data-highlighted:bg-hover">
              <span className="block font-medium text-sm">{label}</span>
              <span className="block text-muted text-xs">{note}</span>
            </a>
          </DropdownMenu.Item>
        ))}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  )
}

export function resources(brand: Brand) {
  return [
    { label: 'Feature Requests', note: 'Suggest ideas and vote in the community', href: brand.community_url },
    { label: 'Marketplace', note: 'Install the editor extension', href: brand.marketplace_url },
  ]
}

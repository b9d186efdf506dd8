import { useEffect } from 'react'
import { useWebConfig } from '../api/catalogue.ts'

export function usePageTitle(title: string): void {
  const { brand } = useWebConfig()
  useEffect(() => {
    document.title = title ? `${title} · ${brand.name}` : brand.name
  }, [title, brand.name])
}

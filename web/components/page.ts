import { useEffect } from 'react'
import { useLocation } from 'react-router-dom'
import { useWebConfig } from '../api/catalogue.ts'

export function usePageTitle(title: string): void {
  const { brand } = useWebConfig()
  useEffect(() => {
    document.title = title ? `${title} · ${brand.name}` : brand.name
  }, [title, brand.name])
}

/** Scrolls to the URL's target when first shown and whenever the URL changes. */
export function useHashTarget(): void {
  const location = useLocation()
  useEffect(() => {
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView()
  }, [location])
}

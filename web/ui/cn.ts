import { type ClassValue, clsx } from 'clsx'

/**
 * Joins classes. A later one does not override an earlier one, because what would know how is 8 kB on every
 * page: write the one or the other, and what a caller may override as `[:where(&)]:rounded-md`, which yields
 * to any other class.
 */
export function cn(...classes: ClassValue[]): string {
  return clsx(classes)
}

import type { AppContext } from '../context.ts'

/** The token of an `Authorization: Bearer …` header. */
export function bearerOf(ctx: AppContext): string | undefined {
  return /^Bearer +(\S+)$/i.exec(ctx.get('authorization'))?.[1]
}

import type { TSchema } from 'typebox'
import { badRequest } from './errors.ts'

/** A parameter of a subsystem that does not exist yet. */
export interface Later {
  readonly schema: TSchema
  /** Whether a value would change anything; what asks for nothing is accepted. */
  readonly asksFor: (value: unknown) => boolean
  readonly because: string
}

/**
 * Refuses what cannot be done yet, so that nobody relies on it.
 * @throws 400 that says which parameter needs something that does not exist yet
 */
export function refuseLater(given: object, later: Readonly<Record<string, Omit<Later, 'schema'>>>): void {
  const values = new Map<string, unknown>(Object.entries(given))
  for (const [name, { asksFor, because }] of Object.entries(later)) {
    if (values.get(name) !== undefined && asksFor(values.get(name))) throw badRequest(`${name}: ${because}`)
  }
}

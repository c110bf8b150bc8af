import { badRequest } from '#platform/refusals.ts'

/** Parameters of subsystems that do not exist yet: the name of each, and what is missing. */
export type Later = Readonly<Record<string, string>>

/** How the description of the API presents such a parameter. */
export const refusedParameter = (because: string) => ({ description: `Refused: ${because}.` })

/** Values that request nothing. Clients send whole objects back, so these are accepted. */
const nothing: readonly unknown[] = [undefined, null, false, 0, '']

/**
 * Refuses parameters that are not supported yet, so that clients do not rely on them.
 * @returns the same parameters; their type lacks those of `later`, which request nothing.
 * @throws 400 that names the first parameter that requests something, and says what is missing
 */
export function refuseLater<T extends object, const L extends Later>(given: T, later: L): Omit<T, keyof L> {
  const values = new Map<string, unknown>(Object.entries(given))
  for (const [name, because] of Object.entries(later)) {
    if (!nothing.includes(values.get(name))) throw badRequest(`${name}: ${because}`)
  }
  return given
}

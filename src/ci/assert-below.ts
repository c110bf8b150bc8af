import { invalid } from '#platform/refusals.ts'

/**
 * Refuses one more of what there is a maximum of.
 * @param most 0 means no limit
 * @param what completes `Maximum number of …`
 * @throws 400 `{base: […]}`
 */
export function assertBelow(most: number, count: number, what: string): void {
  if (most > 0 && count >= most) throw invalid({ base: [`Maximum number of ${what} (${most}) exceeded`] })
}

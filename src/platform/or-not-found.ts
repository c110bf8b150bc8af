import { notFound } from '#platform/refusals.ts'

/**
 * @param what the answer names: `Note` for `404 Note Not Found`
 * @returns what was found
 * @throws 404 for nothing
 */
export function orNotFound<T>(found: T | undefined, what?: string): T {
  if (found === undefined) throw notFound(what)
  return found
}

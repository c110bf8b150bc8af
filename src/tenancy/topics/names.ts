import { invalid } from '#platform/http/errors.ts'

export const MAX_NAME = 255

/** Characters that do not fit on one line. */
const UNWRITABLE = /[\p{Cc}\p{Zl}\p{Zp}]/u

/**
 * The name of a topic as it is stored: what a project could call it as well. So it has no comma, which separates names.
 * @throws 400 for a name that does not fit on one line, or has a comma
 */
export function readTopicName(given: string): string {
  const name = given.trim()
  if (UNWRITABLE.test(name) || name.includes(','))
    throw invalid({ name: ['has characters that are not allowed'] })
  return name
}

/**
 * Reads the names of a project's topics. Of names that differ only in case, the first counts. The parameter's schema
 * limits their length and number.
 * @throws 400 for names that do not fit on one line
 */
export function readTopicNames(given: readonly string[]): string[] {
  const names = given.map((name) => name.trim())
  const distinct = new Map(names.toReversed().map((name) => [name.toLowerCase(), name]))
  distinct.delete('')
  const found = [...distinct.values()].toReversed()
  if (found.some((name) => UNWRITABLE.test(name))) {
    throw invalid({ topics: ['have a name with characters that are not allowed'] })
  }
  return found
}

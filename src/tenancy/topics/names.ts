import { invalid } from '#platform/refusals.ts'
import { isMisleading } from '#platform/misleading.ts'

export const MAX_NAME = 255

/** Characters that do not fit on one line. */
const UNWRITABLE = /[\p{Cc}\p{Zl}\p{Zp}]/u
/** A character that leaves a mark. */
const VISIBLE = /[^\p{Cc}\p{Cf}\p{Cs}\p{Z}\p{Default_Ignorable_Code_Point}]/u

/** Whether people can read a name on one line. Browsers take the dots alone for folders. */
const isReadable = (name: string): boolean =>
  VISIBLE.test(name) && !UNWRITABLE.test(name) && !isMisleading(name) && name !== '.' && name !== '..'

/**
 * The name of a topic as it is stored: what a project could call it as well. So it has no comma, which separates names.
 * @throws 400 for a name that cannot be read on one line, or has a comma
 */
export function readTopicName(given: string): string {
  const name = given.trim()
  if (!isReadable(name) || name.includes(','))
    throw invalid({ name: ['has characters that are not allowed'] })
  return name
}

/**
 * Reads the names of a project's topics. Of names that differ only in case, the first counts. The parameter's schema
 * limits their length and number.
 * @throws 400 for names that cannot be read on one line
 */
export function readTopicNames(given: readonly string[]): string[] {
  const names = given.map((name) => name.trim())
  const distinct = new Map(names.toReversed().map((name) => [name.toLowerCase(), name]))
  distinct.delete('')
  const found = [...distinct.values()].toReversed()
  if (!found.every(isReadable)) {
    throw invalid({ topics: ['have a name with characters that are not allowed'] })
  }
  return found
}

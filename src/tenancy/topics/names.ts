import { invalid } from '#platform/http/errors.ts'

export const MAX_NAME = 255

/** Letters of any script, digits, and the characters in names such as `c++`, `c#` and `node.js`. */
const SLUG = /^[\p{L}\p{M}\p{N}_.+#-]*[\p{L}\p{N}][\p{L}\p{M}\p{N}_.+#-]*$/u
/** Characters that do not fit on one line. */
const UNWRITABLE = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** @throws 400 for a name that is not a slug */
export function assertSlug(name: string): void {
  if (!SLUG.test(name)) {
    throw invalid({ name: ["can contain only letters, digits, '_', '-', '.', '+' and '#'"] })
  }
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

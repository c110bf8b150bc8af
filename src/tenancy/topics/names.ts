import { invalid } from '#platform/http/errors.ts'

export const MAX_NAME = 255

/** Letters of any script, digits, and what stands in names such as `c++`, `c#` and `node.js`. */
const SLUG = /^[\p{L}\p{M}\p{N}_.+#-]*[\p{L}\p{N}][\p{L}\p{M}\p{N}_.+#-]*$/u
/** What cannot be written on a line. */
const UNWRITABLE = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** @throws 400 for a name that is no slug */
export function assertSlug(name: string): void {
  if (!SLUG.test(name)) {
    throw invalid({ name: ["can contain only letters, digits, '_', '-', '.', '+' and '#'"] })
  }
}

/**
 * The names of a project's topics as somebody wrote them; of names that differ only in the case of letters the first
 * counts. How long and how many they may be is declared with the parameter.
 * @throws 400 for names that nobody can write on a line
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

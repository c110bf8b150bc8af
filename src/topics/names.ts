import { longerThan } from '#http/parameters.ts'
import { invalid } from '#http/errors.ts'

export const MAX_NAME = 255
/** More would make a page of projects slow to read, for people and for clients. */
const MAX_PER_PROJECT = 100

/** Letters of any script, digits, and what stands in names such as `c++`, `c#` and `node.js`. */
const SLUG = /^[\p{L}\p{M}\p{N}_.+#-]*[\p{L}\p{N}][\p{L}\p{M}\p{N}_.+#-]*$/u
/** What cannot be written on a line. */
const UNWRITABLE = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** @throws 400 for a name that is no slug */
export function demandSlug(name: string): void {
  if (!SLUG.test(name)) {
    throw invalid({ name: ["can contain only letters, digits, '_', '-', '.', '+' and '#'"] })
  }
}

/**
 * The names of a project's topics as somebody wrote them: commas part names here, too, and of names that differ in
 * the case of letters alone the first counts.
 * @throws 400 for names that are too long or too many
 */
export function readTopicNames(given: readonly string[]): string[] {
  const names = given.flatMap((text) => text.split(',')).map((name) => name.trim())
  const distinct = new Map(names.toReversed().map((name) => [name.toLowerCase(), name]))
  distinct.delete('')
  const found = [...distinct.values()].toReversed()
  if (found.length > MAX_PER_PROJECT) throw refuse(`are too many (maximum is ${MAX_PER_PROJECT})`)
  if (found.some((name) => longerThan(name, MAX_NAME))) {
    throw refuse(`have a name that is too long (maximum is ${MAX_NAME} characters)`)
  }
  if (found.some((name) => UNWRITABLE.test(name)))
    throw refuse('have a name with characters that are not allowed')
  return found
}

const refuse = (sentence: string) => invalid({ topics: [sentence] })

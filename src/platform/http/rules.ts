import type { Problem } from './parameter-schema.ts'
import type { Rules } from './schema.ts'

/** Checks conditions on several parameters at once, and adds violations to the problems. */
export function checkRules(rules: Rules, present: readonly string[], problems: Problem[]): void {
  const given = (names: readonly string[]) => names.filter((name) => present.includes(name))
  const add = (names: readonly string[], text: string, missing: boolean) =>
    problems.push({ name: names.join(', '), text, missing })
  const { atLeastOneOf, exactlyOneOf, allOrNoneOf, mutuallyExclusive, excludes = {}, needs = {} } = rules
  if (atLeastOneOf && given(atLeastOneOf).length === 0) {
    add(atLeastOneOf, 'are missing, at least one parameter must be provided', true)
  }
  if (exactlyOneOf && given(exactlyOneOf).length === 0) {
    add(exactlyOneOf, 'are missing, exactly one parameter must be provided', true)
  }
  for (const only of [exactlyOneOf, mutuallyExclusive]) {
    if (only && given(only).length > 1) add(given(only), 'are mutually exclusive', false)
  }
  for (const [name, others] of Object.entries(excludes)) {
    if (!present.includes(name)) continue
    for (const other of given(others)) add([name, other], 'are mutually exclusive', false)
  }
  if (allOrNoneOf && given(allOrNoneOf).length % allOrNoneOf.length !== 0) {
    add(allOrNoneOf, 'provide all or none of parameters', false)
  }
  for (const [name, other] of Object.entries(needs)) {
    if (present.includes(name) && !present.includes(other)) add([other], 'is missing', true)
  }
}

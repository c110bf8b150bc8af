import type { Fact, FactName, FactOf } from '#platform/facts/fact.ts'

/** Makes something of the facts with some names. */
export interface FactReader<T> {
  readonly facts: readonly FactName[]
  /** Undefined for a fact with another name. */
  read(fact: Fact): T | undefined
}

/** @param read what there is to make of a fact with one of these names. */
export function readFacts<const Name extends FactName, T>(
  facts: readonly Name[],
  read: (fact: FactOf<Name>) => T,
): FactReader<T> {
  const names: readonly string[] = facts
  const concerns = (fact: Fact): fact is Fact & FactOf<Name> => names.includes(fact.name)
  return { facts, read: (fact) => (concerns(fact) ? read(fact) : undefined) }
}

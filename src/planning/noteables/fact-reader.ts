import type { Fact, FactName, FactOf } from '#platform/facts/fact.ts'

/** Makes something of the domain events with some names. */
export interface FactReader<T> {
  readonly facts: readonly FactName[]
  /** Undefined for an event with another name, and for one of which it makes nothing. */
  read(fact: Fact): T | undefined
}

/** @param read what to make of an event with one of these names; undefined for nothing. */
export function readFacts<const Name extends FactName, T>(
  facts: readonly Name[],
  read: (fact: FactOf<Name>) => T | undefined,
): FactReader<T> {
  const names: readonly string[] = facts
  const concerns = (fact: Fact): fact is Fact & FactOf<Name> => names.includes(fact.name)
  return { facts, read: (fact) => (concerns(fact) ? read(fact) : undefined) }
}

import type { Tx } from '#db/transaction.ts'
import { type Fact, record } from '#facts/record.ts'

/**
 * Records facts about several projects; those about one keep their order. Recording locks the project, so that all who
 * do this take projects in one order and nobody waits in a circle.
 */
export async function recordAcross(tx: Tx, facts: readonly Fact[]): Promise<void> {
  const ordered = facts.toSorted((one, other) => (one.namespace ?? 0) - (other.namespace ?? 0))
  for (const fact of ordered) record(tx, fact)
}

import type { RawBuilder } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'

/**
 * Domain events are called facts here: what was done, by whom, when and to what. Each feature adds the names of its
 * facts, with what they tell, to this interface (its `facts.ts`).
 */
export interface Facts {}

export type FactName = keyof Facts

/** Facts with one of these names; `fact.name` tells which details there are. */
export type FactOf<Names extends FactName> = {
  readonly [Name in Names]: {
    readonly name: Name
    /** The namespace (of a group, project or user) in which it happened; null when it concerns the instance. */
    readonly namespace: number | null
    /** What it was done to, when that is a thing with an id. */
    readonly target: { readonly type: string; readonly id: number } | null
    readonly details: Facts[Name]
  }
}[Names]

/** Something that was done, by `tx.author` at `tx.now`. */
export type Fact = FactOf<FactName>

/** Who did what a fact tells of, when, and by which request. */
export type RecordedBy = Pick<Tx, 'author' | 'impersonatorId' | 'ip' | 'requestId' | 'now' | 'random'>

/**
 * Something that is done with facts, in the transaction that records them and in the same statement. Its text is
 * fixed, however many facts there are: their rows travel as one value.
 */
export interface Consumer<Names extends FactName = FactName> {
  /** Names its part of the statement: letters and underscores. */
  readonly name: string
  /** The names of the facts that concern it; asked once, when the first fact is written. */
  facts(): readonly Names[]
  /** What there is to do because of one fact, as JSON can hold it; empty when there is nothing to do after all. */
  rows(fact: FactOf<Names>, by: RecordedBy): readonly object[]
  /**
   * An insert, update or delete. Rows that it locks or refers to are locked by the verb before, or come after
   * everything else in the order of locks (docs/decisions/0014-write-protocol.md).
   * @param rows a `jsonb` array of all rows, in the order of their facts.
   */
  statement(rows: RawBuilder<unknown>): RawBuilder<unknown>
}

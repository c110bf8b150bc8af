import type { RawBuilder } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'

/**
 * Domain events are called facts here: what was done, by whom, when and to what. Each feature adds the names of its
 * facts, with their details, to this interface (in its `facts.ts`).
 */
export interface Facts {}

export type FactName = keyof Facts

/** Facts with one of these names; `fact.name` decides which details there are. */
export type FactOf<Names extends FactName> = {
  readonly [Name in Names]: {
    readonly name: Name
    /** The namespace (of a group, project or user) in which it happened; null when it concerns the instance. */
    readonly namespace: number | null
    /** What it was done to, if that has an id. */
    readonly target: { readonly type: string; readonly id: number } | null
    readonly details: Facts[Name]
  }
}[Names]

/** Something that `tx.author` did at `tx.now`. */
export type Fact = FactOf<FactName>

/** Who did what a fact records, when, and by which request; and whether this server sends mails. */
export type RecordedBy = Pick<
  Tx,
  'author' | 'impersonatorId' | 'ip' | 'requestId' | 'now' | 'random' | 'sendsMail'
>

/**
 * Reacts to facts in the transaction that records them, in the same statement. Its SQL text is fixed, however many
 * facts there are: their rows travel as one value.
 */
export interface Consumer<Names extends FactName = FactName> {
  /** The name of its part of the statement: letters and underscores. */
  readonly name: string
  /** The names of the facts that it consumes. Called once, when the first fact is written. */
  facts(): readonly Names[]
  /** The rows to write for one fact, as JSON can hold them; empty when there is nothing to do. */
  rows(fact: FactOf<Names>, by: RecordedBy): readonly object[]
  /**
   * An insert, update or delete. The rows that it locks or refers to must be locked by the verb already, or come
   * after everything else in the order of locks (docs/decisions/0014-write-protocol.md).
   * @param rows a `jsonb` array of all rows, in the order of their facts.
   */
  statement(rows: RawBuilder<unknown>): RawBuilder<unknown>
}

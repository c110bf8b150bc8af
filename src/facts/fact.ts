import type { RawBuilder } from 'kysely'
import type { Tx } from '#db/transaction.ts'
import type { Definition, definitions } from './definitions.ts'

type Definitions = typeof definitions

export type FactName = keyof Definitions

type DetailsOf<D> = D extends Definition<infer Details> ? Details : never

/** Facts with one of these names; `fact.name` tells which details there are. */
export type FactOf<Names extends FactName> = {
  readonly [Name in Names]: {
    readonly name: Name
    /** The namespace (of a group, project or user) in which it happened; null when it concerns the instance. */
    readonly namespace: number | null
    /** What it was done to, when that is a thing with an id. */
    readonly target: { readonly type: string; readonly id: number } | null
    readonly details: DetailsOf<Definitions[Name]>
  }
}[Names]

/** Something that was done, by `tx.author` at `tx.now`. */
export type Fact = FactOf<FactName>

/**
 * Something that is done with facts, in the transaction that records them. Either kind may be left out.
 */
export interface Consumer<Names extends FactName = FactName> {
  readonly facts: readonly Names[] | 'all'
  /**
   * A statement (insert, update, delete) that needs nothing but the fact. It runs in the statement that
   * records it, where `(select id from fact)` is the fact's id, and so costs no trip to the database. Undefined when
   * there is nothing to do after all.
   */
  alongside?(tx: Tx, fact: FactOf<Names>): RawBuilder<unknown> | undefined
  /** Anything else, after the fact is recorded. */
  consume?(tx: Tx, fact: FactOf<Names>, id: number): Promise<void>
}

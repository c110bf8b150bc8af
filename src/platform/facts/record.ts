import { sql } from 'kysely'
import { storableJson } from '#platform/db/json.ts'
import { insertRecords } from '#platform/db/recordset.ts'
import { type Params, statement } from '#platform/db/statement.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'
import { append } from '#platform/sequences.ts'
import type { Consumer, Fact, FactName, RecordedBy } from './fact.ts'

export type { Fact } from './fact.ts'

/** Everything that features do with facts. A new consumer needs no change in any verb. */
export const consumers = new ExtensionPoint<Consumer>('the list of consumers')

/** What verbs do with facts. */
export interface Recorder {
  /**
   * Records what was done, in the transaction that does it. The transaction collects facts and writes them before its
   * commit, in one statement together with all that follows from them: activity, audit, system notes, … ({@link
   * consumers}), which takes no round trip of its own.
   */
  readonly record: (tx: Tx, ...facts: readonly Fact[]) => void
  /** Writes the facts collected so far: for a verb that is about to delete names which consumers look up. */
  readonly writeFacts: (tx: Tx) => Promise<void>
}

/** A recorder for other consumers than the program's own. @param all is called when the first fact is written. */
export function recorder(all: () => readonly Consumer[]): Recorder {
  const collected = new WeakMap<Tx['db'], Recorded[]>()
  const write = writer(all)
  const writeFacts = async ({ db }: Tx): Promise<void> => {
    const facts = collected.get(db)?.splice(0) ?? []
    if (facts.length > 0) await write(db, facts)
  }
  return {
    writeFacts,
    record: (tx, ...facts) => {
      const recorded = facts.map((fact) => ({ fact, by: tx }))
      const before = collected.get(tx.db)
      if (before !== undefined) {
        append(before, recorded)
        return
      }
      collected.set(tx.db, recorded)
      tx.beforeCommit(() => writeFacts(tx))
    },
  }
}

export const { record, writeFacts } = recorder(() => consumers.entries)

interface Recorded {
  readonly fact: Fact
  readonly by: RecordedBy
}

/** The rows of each consumer that has any, and of the facts themselves, as JSON. */
type Values = Readonly<Record<string, string>>

/** Writes facts with the rows of their consumers. There is one text for each set of consumers involved. */
function writer(all: () => readonly Consumer[]) {
  let concerns: ReadonlyMap<FactName, readonly Consumer[]> | undefined
  const write = statement({
    name: 'record facts',
    build: (_, param: Params<Values>, { concerned }: { readonly concerned: string }) =>
      statementFor(
        all().filter(({ name }) => concerned.split(' ').includes(name)),
        param,
      ),
    deferred: true,
  })
  return async (db: Tx['db'], recorded: readonly Recorded[]): Promise<void> => {
    const values: Record<string, string> = { facts: storableJson(recorded.map(factRow)) }
    concerns ??= byFact(all())
    const rowsFor = new Map<Consumer, object[]>()
    for (const { fact, by } of recorded) {
      for (const consumer of concerns.get(fact.name) ?? []) {
        const rows = rowsFor.get(consumer) ?? []
        for (const row of consumer.rows(fact, by)) rows.push(row)
        if (rows.length > 0) rowsFor.set(consumer, rows)
      }
    }
    const concerned = all().filter((consumer) => rowsFor.has(consumer))
    for (const consumer of concerned) values[consumer.name] = storableJson(rowsFor.get(consumer))
    await write(db, values, { concerned: concerned.map(({ name }) => name).join(' ') })
  }
}

/** The consumers of each fact, in their order. */
function byFact(all: readonly Consumer[]): ReadonlyMap<FactName, readonly Consumer[]> {
  const pairs = all.flatMap((consumer) =>
    [...new Set(consumer.facts())].map((name) => [name, consumer] as const),
  )
  const grouped = Map.groupBy(pairs, ([name]) => name)
  return new Map([...grouped].map(([name, some]) => [name, some.map(([, consumer]) => consumer)]))
}

const factColumns = sql`
  name, at, actor_id, behind_id, namespace_id, target_type, target_id, details, ip, request_id`

function factRow({ fact: { name, namespace, target, details }, by }: Recorded) {
  return {
    name,
    at: by.now,
    actor_id: by.author?.id ?? null,
    behind_id: by.impersonatorId,
    namespace_id: namespace,
    target_type: target?.type ?? null,
    target_id: target?.id ?? null,
    details,
    ip: by.ip,
    request_id: by.requestId,
  }
}

function statementFor(concerned: readonly Consumer[], param: Params<Values>) {
  const rows = (name: string) => sql`${param(name)}::jsonb`
  const parts = concerned.map(
    (consumer) => sql`${sql.raw(consumer.name)} as (${consumer.statement(rows(consumer.name))}), `,
  )
  return sql`
    with ${sql.join(parts, sql``)}fact as (
      ${insertRecords('facts', factColumns, rows('facts'))}
    )
    select`
}

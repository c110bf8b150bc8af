import { sql } from 'kysely'
import type { Tx } from '#db/transaction.ts'
import { consumers } from './consumers.ts'
import type { Consumer, Fact } from './fact.ts'

export type { Fact } from './fact.ts'

/**
 * Notes that something was done, in the transaction that does it, and lets every consumer have it: activity,
 * audit, mail, … Every write ends with this; last, because it may lock the project's row.
 *
 * @returns the fact's id.
 */
export const record = recorder(consumers)

/** {@link record} for other consumers than the program's own. */
export function recorder(all: readonly Consumer[]): (tx: Tx, fact: Fact) => Promise<number> {
  return async (tx, fact) => {
    const concerned = all.filter(({ facts }) => facts === 'all' || facts.includes(fact.name))
    const alongside = concerned.flatMap((consumer) => consumer.alongside?.(tx, fact) ?? [])
    const extra = alongside.map((statement, index) => sql`, ${sql.raw(`also_${index}`)} as (${statement})`)
    const { name, namespace, target, details } = fact
    const { rows } = await sql<{ id: number }>`
      with fact as (
        insert into facts (name, at, actor_id, behind_id, namespace_id, target_type, target_id, details, ip)
        values (${name}, ${tx.now}, ${tx.author?.id ?? null}, ${tx.behind}, ${namespace}, ${target?.type ?? null},
          ${target?.id ?? null}, ${JSON.stringify(details)}, ${tx.ip})
        returning id
      )${sql.join(extra, sql``)}
      select id from fact`.execute(tx.db)
    const [row] = rows
    if (row === undefined) throw new Error(`The fact '${name}' was not recorded`)
    for (const consumer of concerned) await consumer.consume?.(tx, fact, row.id)
    return row.id
  }
}

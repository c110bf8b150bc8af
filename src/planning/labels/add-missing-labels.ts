import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { checkName } from './create-label.ts'

/** The color of a label that was created by name only. */
const COLOR = '#6699cc'

interface Container {
  readonly namespace_id: number
}

/**
 * Creates labels that are about to be assigned and do not exist yet; other transactions may be creating the same ones.
 * @returns their ids by name.
 * @throws 400 for an unacceptable name.
 */
export async function addMissingLabels(
  tx: Tx,
  container: Container,
  names: readonly string[],
): Promise<Map<string, number>> {
  // A fixed order, so that two requests with the same names do not deadlock.
  const wanted = [...new Set(names.map(checkName))].toSorted()
  if (wanted.length === 0) return new Map()
  const { namespace_id } = container
  const { rows: made } = await sql<{ id: number; name: string }>`
    insert into labels (namespace_id, name, color, created_at, updated_at)
    select ${namespace_id}, name, ${COLOR}, ${tx.now}::timestamptz, ${tx.now}::timestamptz
    from unnest(${wanted}::text[]) with ordinality as given (name, place) order by place
    on conflict (namespace_id, name) do nothing
    returning id, name`.execute(tx.db)
  for (const { id, name } of made) {
    const target = { type: 'Label', id }
    record(tx, { name: 'label created', namespace: namespace_id, target, details: { label: name } })
  }
  if (made.length === wanted.length) return new Map(made.map(({ id, name }) => [name, id]))
  const all = await tx.db
    .selectFrom('labels')
    .select(['id', 'name'])
    .where('namespace_id', '=', namespace_id)
    .where(sql<boolean>`name = any(${wanted}::text[])`)
    .forKeyShare()
    .execute()
  return new Map(all.map(({ id, name }) => [name, id]))
}

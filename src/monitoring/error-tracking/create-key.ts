import type { ProjectContainer } from '#platform/access/authorize.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid } from '#platform/refusals.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { keyColumns, type KeyRow } from './entity.ts'
import { clientKeysOf } from './queries.ts'

/** What keys begin with, so that people and scanners know them. */
const PREFIX = 'glet_'
/** 128 bits: nobody guesses one. */
const BYTES = 16
/** How many keys a project may have. */
export const MOST_KEYS = 100

/** Makes a client key. @throws 400 when the project has enough of them */
export async function createKey(
  tx: Tx,
  { id, namespace_id }: Pick<ProjectContainer, 'id' | 'namespace_id'>,
): Promise<KeyRow> {
  await lockParent(tx, namespace_id)
  const there = await clientKeysOf(tx.db, id).limit(MOST_KEYS).execute()
  if (there.length >= MOST_KEYS) throw invalid({ base: [`has ${MOST_KEYS} client keys already`] })
  const key = await tx.db
    .insertInto('error_tracking_keys')
    .values({
      project_id: id,
      public_key: `${PREFIX}${tx.random.bytes(BYTES).toString('hex')}`,
      created_at: tx.now,
    })
    .returning(keyColumns)
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'error tracking key created',
    namespace: namespace_id,
    target: { type: 'ErrorTracking::ClientKey', id: key.id },
    details: { public_key: key.public_key },
  })
  return key
}

import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { MoveOwner } from './owners.ts'

/** The owner of repositories as audit events name it. Undefined when it is gone. */
export async function findOwner(
  db: Db | Tx['db'],
  { kind, id }: Pick<MoveOwner, 'kind' | 'id'>,
): Promise<MoveOwner | undefined> {
  const found = await findNamed(db, kind, id)
  return found && { kind, id, ...found }
}

async function findNamed(db: Db | Tx['db'], kind: MoveOwner['kind'], id: number) {
  if (kind === 'snippet') {
    return db
      .selectFrom('snippets as s')
      .innerJoin('noteables as o', 'o.id', 's.id')
      .select(['o.namespace_id', 's.title as name'])
      .where('s.id', '=', id)
      .executeTakeFirst()
  }
  if (kind === 'group') {
    return db
      .selectFrom('namespaces')
      .select(['id as namespace_id', 'full_path as name'])
      .where('id', '=', id)
      .executeTakeFirst()
  }
  return db
    .selectFrom('projects as p')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .select(['n.id as namespace_id', 'n.full_path as name'])
    .where('p.id', '=', id)
    .executeTakeFirst()
}

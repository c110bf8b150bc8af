import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { denied } from '../oci/errors.ts'
import type { RepositoryAccess } from './authorize.ts'

type Place = Pick<RepositoryAccess, 'project' | 'rest'>

/** Repositories that a project has at most. */
const MOST_REPOSITORIES = 1_000

/** The id of a repository to which something was pushed. One that is being deleted is not there any more. */
export async function findRepository(
  db: Db | Tx['db'],
  { project, rest }: Place,
): Promise<number | undefined> {
  const found = await db
    .selectFrom('container_repositories')
    .select('id')
    .where('project_id', '=', project.id)
    .where('name', '=', rest)
    .where('status', 'is', null)
    .executeTakeFirst()
  return found?.id
}

/** Finds a repository that something is being pushed to, or makes it. @throws 403 for one that is being deleted */
export async function openRepository(tx: Tx, { project, rest }: Place): Promise<number> {
  await lockParent(tx, project.namespace_id)
  const known = await findRepository(tx.db, { project, rest })
  if (known !== undefined) return known
  const { count } = await tx.db
    .selectFrom('container_repositories')
    .select((q) => q.fn.countAll<number>().as('count'))
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow()
  if (count >= MOST_REPOSITORIES)
    throw denied(`a project has at most ${MOST_REPOSITORIES} repositories of images`)
  const made = await tx.db
    .insertInto('container_repositories')
    .values({ project_id: project.id, name: rest, created_at: tx.now })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (made !== undefined) {
    record(tx, {
      name: 'container repository created',
      namespace: project.namespace_id,
      target: { type: 'ContainerRepository', id: made.id },
      details: { repository: rest },
    })
    return made.id
  }
  const other = await findRepository(tx.db, { project, rest })
  if (other === undefined) throw denied('this repository is being deleted: try again later')
  return other
}

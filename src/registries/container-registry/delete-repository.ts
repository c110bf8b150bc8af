import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { withLease } from '#platform/jobs/lease.ts'
import { defineTask } from '#platform/jobs/task.ts'
import { forbidden, notFound } from '#platform/refusals.ts'
import { filterInSlices } from '#platform/client-pattern.ts'
import type { RepositoryAccess } from './authorize.ts'
import { isRepositoryOpen, KEPT, TagRules } from './protection.ts'

type Place = Pick<RepositoryAccess, 'project' | 'role'>

/** Rows in a transaction. */
const AT_ONCE = 1_000

/**
 * Hides a repository from clients. A job removes what is in it.
 * @throws 404 for one that is not there, 403 for one that a rule protects or that has tags which a rule protects
 */
export async function deleteRepository(tx: Tx, { project, role }: Place, id: number): Promise<void> {
  const row = await tx.db
    .selectFrom('container_repositories')
    .select(['id', 'name', 'status'])
    .where('project_id', '=', project.id)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => notFound('Repository'))
  if (!(await isRepositoryOpen(tx.db, { project, rest: row.name, role }, 'delete'))) throw forbidden(KEPT)
  const rules = await TagRules.of(tx.db, project.id)
  if (rules.isAny && (await hasProtected(tx, id, rules))) throw forbidden('it has protected tags')
  if (row.status !== null && row.status !== 'delete_failed') return
  await tx.db
    .updateTable('container_repositories')
    .set({ status: 'delete_scheduled' })
    .where('id', '=', id)
    .execute()
  await enqueue(tx, removeRepository, { repository_id: id })
  record(tx, {
    name: 'container repository deleted',
    namespace: project.namespace_id,
    target: { type: 'ContainerRepository', id },
    details: { repository: row.name },
  })
}

async function hasProtected(tx: Tx, id: number, rules: TagRules): Promise<boolean> {
  for (let after = ''; ;) {
    const some = await tx.db
      .selectFrom('container_tags')
      .select('name')
      .where('repository_id', '=', id)
      .where('name', '>', after)
      .orderBy('name')
      .limit(AT_ONCE)
      .execute()
    const found = await filterInSlices(some, ({ name }) => rules.isProtected(name))
    if (found.length > 0) return true
    const last = some.at(-1)
    if (last === undefined || some.length < AT_ONCE) return false
    after = last.name
  }
}

/** Removes a repository that {@link deleteRepository} has hidden. The files go with the clean-up of files. */
export const removeRepository = defineTask(
  'container-registry/remove-repository',
  'long',
  Type.Object({ repository_id: Type.Integer() }),
  ({ repository_id: id }, job) =>
    withLease(job, `remove container repository ${id}`, async (lease) => {
      // What names others goes first. Deleting a manifest takes its tags with it, and what it names.
      for (const table of [
        'container_uploads',
        'container_tags',
        'container_manifest_children',
        'container_manifests',
        'container_blobs',
      ] as const) {
        for (let some = AT_ONCE; some === AT_ONCE;) {
          lease.signal.throwIfAborted()
          some = await job.transact(async (tx) => {
            await lease.guard(tx)
            return removeSome(tx, table, id)
          })
        }
      }
      await job.transact(async (tx) => {
        await lease.guard(tx)
        await tx.db
          .deleteFrom('container_repositories')
          .where('id', '=', id)
          .where('status', 'is not', null)
          .execute()
      })
    }),
)

type Table =
  | 'container_uploads'
  | 'container_tags'
  | 'container_manifest_children'
  | 'container_manifests'
  | 'container_blobs'

async function removeSome({ db }: Tx, table: Table, id: number): Promise<number> {
  const rows =
    table === 'container_manifest_children'
      ? sql`select x.ctid from container_manifest_children x join container_manifests m on m.id = x.manifest_id
          where m.repository_id = ${id} limit ${AT_ONCE}`
      : sql`select x.ctid from ${sql.table(table)} x where x.repository_id = ${id} limit ${AT_ONCE}`
  const { numAffectedRows = 0n } = await sql`
    delete from ${sql.table(table)} where ctid = any(array(${rows}))`.execute(db)
  return Number(numAffectedRows)
}

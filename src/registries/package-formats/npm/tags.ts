import { sql } from 'kysely'
import { lockParent } from '#identity/namespaces/lock.ts'
import { lockText } from '#platform/db/locks.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { invalid, notFound } from '#platform/refusals.ts'
import type { RoleThere } from '../../protection/minimum-levels.ts'
import { assertUnprotected } from '../../packages/protection-rules.ts'
import { type PackagePlace, servedStatuses } from '../../packages/types.ts'

/** Tags of one package in a project. */
const MOST_TAGS = 1_000

interface Tagged {
  readonly projectId: number
  readonly name: string
  readonly packageId: number
}

/** Lets tags stand for a version. The caller holds the lock of the package's name. @throws 400 past the maximum */
export async function setTags(
  tx: Tx,
  { projectId, name, packageId }: Tagged,
  tags: readonly string[],
): Promise<void> {
  if (tags.length === 0) return
  const { count } = await tx.db
    .selectFrom('package_tags')
    .select((q) => q.fn.countAll<number>().as('count'))
    .where('project_id', '=', projectId)
    .where('package_type', '=', 'npm')
    .where('package_name', '=', name)
    .executeTakeFirstOrThrow()
  if (count + tags.length > MOST_TAGS) throw invalid({ 'dist-tags': [`can be at most ${MOST_TAGS}`] })
  await tx.db
    .insertInto('package_tags')
    .values(
      tags.map((tag) => ({
        project_id: projectId,
        package_type: 'npm' as const,
        package_name: name,
        name: tag,
        package_id: packageId,
        created_at: tx.now,
        updated_at: tx.now,
      })),
    )
    .onConflict((conflict) =>
      conflict
        .columns(['project_id', 'package_type', 'package_name', 'name'])
        .doUpdateSet({ package_id: packageId, updated_at: tx.now }),
    )
    .execute()
}

interface NamedTag {
  readonly name: string
  readonly tag: string
  readonly role: RoleThere
}

/** @throws 404 for a version that is not there, 403 for a protected package */
export async function setTag(
  tx: Tx,
  project: PackagePlace,
  { name, tag, version, role }: NamedTag & { readonly version: string },
): Promise<void> {
  await lockPackage(tx, project, { name, role })
  const { id } = await tx.db
    .selectFrom('packages')
    .select('id')
    .where('project_id', '=', project.id)
    .where('package_type', '=', 'npm')
    .where('name', '=', name)
    .where('version', '=', version)
    .where('status', 'in', [...servedStatuses])
    .executeTakeFirstOrThrow(() => notFound('Package'))
  await setTags(tx, { projectId: project.id, name, packageId: id }, [tag])
}

/** @throws 404 for a tag that is not there, 403 for a protected package */
export async function removeTag(tx: Tx, project: PackagePlace, { name, tag, role }: NamedTag): Promise<void> {
  await lockPackage(tx, project, { name, role })
  await tx.db
    .deleteFrom('package_tags')
    .where('project_id', '=', project.id)
    .where('package_type', '=', 'npm')
    .where('package_name', '=', name)
    .where('name', '=', tag)
    .returning('name')
    .executeTakeFirstOrThrow(() => notFound('Tag'))
}

/**
 * Marks versions as deprecated, with the reason, or takes that back where it is blank.
 * @param messages by version; others stay as they are
 * @throws 404 for a package that is not there, 403 for a protected one
 */
export async function deprecate(
  tx: Tx,
  project: PackagePlace,
  {
    name,
    messages,
    role,
  }: { readonly name: string; readonly messages: ReadonlyMap<string, string>; readonly role: RoleThere },
): Promise<void> {
  await lockPackage(tx, project, { name, role })
  const { numAffectedRows = 0n } = await sql`
    update packages k set updated_at = ${tx.now},
      status = case when d.message = '' then 'default' else 'deprecated' end::package_status,
      metadata = case when d.message = '' then k.metadata - 'deprecated'
        else jsonb_set(k.metadata, '{deprecated}', to_jsonb(d.message)) end
    from unnest(${[...messages.keys()]}::text[], ${[...messages.values()]}::text[]) as d (version, message)
    where k.project_id = ${project.id} and k.package_type = 'npm' and k.name = ${name} and k.version = d.version
      and k.status in ('default', 'deprecated')`.execute(tx.db)
  if (numAffectedRows === 0n) throw notFound('Package')
}

async function lockPackage(
  tx: Tx,
  project: PackagePlace,
  { name, role }: { readonly name: string; readonly role: RoleThere },
): Promise<void> {
  await lockParent(tx, project.namespace_id)
  await lockText(tx, `package ${project.id} npm ${name}`)
  await assertUnprotected(tx, project.id, { name, package_type: 'npm' }, role, 'push')
}

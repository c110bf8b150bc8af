import { lockParent } from '#identity/namespaces/lock.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { notFound } from '#platform/refusals.ts'

interface Place {
  readonly id: number
  readonly namespace_id: number
}

const titleOf = ({ name, version }: { name: string; version: string | null }): string =>
  version === null ? name : `${name}/${version}`

/** Deletes a package with its files. @throws 404 */
export async function deletePackage(tx: Tx, project: Place, id: number): Promise<void> {
  await lockParent(tx, project.namespace_id)
  const removed = await tx.db
    .deleteFrom('packages')
    .where('project_id', '=', project.id)
    .where('id', '=', id)
    .returning(['name', 'version'])
    .executeTakeFirst()
  if (removed === undefined) throw notFound('Package')
  record(tx, {
    name: 'package deleted',
    namespace: project.namespace_id,
    target: { type: 'Packages::Package', id },
    details: { package: titleOf(removed) },
  })
}

/** Deletes one file; the package stays, even without files. @throws 404 */
export async function deletePackageFile(
  tx: Tx,
  project: Place,
  packageId: number,
  fileId: number,
): Promise<void> {
  await lockParent(tx, project.namespace_id)
  const about = await tx.db
    .selectFrom('packages')
    .select(['name', 'version'])
    .where('project_id', '=', project.id)
    .where('id', '=', packageId)
    .executeTakeFirstOrThrow(() => notFound('Package'))
  const removed = await tx.db
    .deleteFrom('package_files')
    .where('package_id', '=', packageId)
    .where('id', '=', fileId)
    .returning('file_name')
    .executeTakeFirst()
  if (removed === undefined) throw notFound()
  record(tx, {
    name: 'package file deleted',
    namespace: project.namespace_id,
    target: { type: 'Packages::Package', id: packageId },
    details: { package: titleOf(about), file: removed.file_name },
  })
}

import { lockParent } from '#identity/namespaces/lock.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { notFound } from '#platform/refusals.ts'
import type { RoleThere } from '../protection/minimum-levels.ts'
import { assertUnprotected } from './protection-rules.ts'
import { type PackagePlace, titleOf } from './types.ts'

/** Deletes a package with its files. @throws 404, and 403 where a rule protects it */
export async function deletePackage(
  tx: Tx,
  project: PackagePlace,
  id: number,
  role: RoleThere,
): Promise<void> {
  const about = await packageToDelete(tx, project, id, role)
  await tx.db.deleteFrom('packages').where('id', '=', id).execute()
  record(tx, {
    name: 'package deleted',
    namespace: project.namespace_id,
    target: { type: 'Packages::Package', id },
    details: { package: titleOf(about) },
  })
}

/** Deletes one file; the package stays, even without files. @throws 404, and 403 where a rule protects the package */
export async function deletePackageFile(
  tx: Tx,
  project: PackagePlace,
  {
    packageId,
    fileId,
    role,
  }: { readonly packageId: number; readonly fileId: number; readonly role: RoleThere },
): Promise<void> {
  const about = await packageToDelete(tx, project, packageId, role)
  const removed = await tx.db
    .deleteFrom('package_files')
    .where('package_id', '=', packageId)
    .where('id', '=', fileId)
    .returning('file_name')
    .executeTakeFirstOrThrow(() => notFound('Package File'))
  record(tx, {
    name: 'package file deleted',
    namespace: project.namespace_id,
    target: { type: 'Packages::Package', id: packageId },
    details: { package: titleOf(about), file: removed.file_name },
  })
}

async function packageToDelete(tx: Tx, project: PackagePlace, id: number, role: RoleThere) {
  await lockParent(tx, project.namespace_id)
  const about = await tx.db
    .selectFrom('packages')
    .select(['name', 'version', 'package_type'])
    .where('project_id', '=', project.id)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow(() => notFound('Package'))
  await assertUnprotected(tx, project.id, about, role, 'delete')
  return about
}

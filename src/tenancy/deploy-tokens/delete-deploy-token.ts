import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { notFound } from '#platform/refusals.ts'
import type { TokenContainer } from '#identity/tokens/resource.ts'

/** Deletes a deploy token, which ends it at once, everywhere. @throws 404 */
export async function deleteDeployToken(tx: Tx, container: TokenContainer, id: number): Promise<void> {
  const { kind, namespace_id: namespace } = container
  const gone = await tx.db
    .deleteFrom('deploy_tokens')
    .where('id', '=', id)
    .where('namespace_id', '=', namespace)
    .returning('name')
    .executeTakeFirstOrThrow(() => notFound())
  const target = { type: 'DeployToken', id }
  record(tx, { name: 'deploy token deleted', namespace, target, details: { name: gone.name, kind } })
}

import type { GroupContainer, ProjectContainer } from '#platform/access/authorize.ts'
import type { EnvironmentGrantPurpose } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { conflict, Unprocessable } from '#platform/refusals.ts'
import { knownTexts } from '#platform/known-texts.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { assertMayBeNamed, lockGrantees } from './check-grantees.ts'
import { inWords } from './entity.ts'
import { findProtected, type ProtectedEnvironmentRow } from './rows.ts'
import { type GrantWish, resolveGrants } from './wishes.ts'

export interface NewProtection {
  readonly name: string
  readonly deploy_access_levels: readonly GrantWish[]
  readonly required_approval_count?: number
  readonly approval_rules?: readonly GrantWish[]
}

export const purposes = ['deploy', 'approve'] as const satisfies EnvironmentGrantPurpose[]

/**
 * Protects an environment of a project, or a tier of a group.
 * @throws 409 when it is protected already, 400 for users and groups that cannot be named, 422 when nobody may deploy
 */
export async function protect(
  tx: Tx,
  container: ProjectContainer | GroupContainer,
  { name, deploy_access_levels, required_approval_count = 0, approval_rules = [] }: NewProtection,
): Promise<ProtectedEnvironmentRow> {
  const wishes = { deploy: deploy_access_levels, approve: approval_rules }
  const naming = purposes.flatMap((purpose) =>
    resolveGrants(purpose, [], wishes[purpose]).map((grant, position) => ({
      purpose,
      position,
      grant,
    })),
  )
  assertSomebody(deploy_access_levels)
  await lockParent(tx, container.namespace_id)
  await lockGrantees(
    tx,
    naming.flatMap(({ grant }) => grant.user_id ?? []),
    naming.flatMap(({ grant }) => grant.group_id ?? []),
  )
  await assertMayBeNamed(tx, container, naming)
  const { kind, id } = container
  const made = await tx.db
    .insertInto('protected_environments')
    .values({
      ...(kind === 'project' ? { project_id: id } : { group_id: id }),
      name,
      required_approval_count,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .onConflict((oc) => oc.doNothing())
    .returning('id')
    .executeTakeFirst()
  if (made === undefined) throw conflict(`Protected environment '${name}' already exists`)
  await tx.db
    .insertInto('protected_environment_grants')
    .values(
      naming.map(({ purpose, position, grant: { id: _, ...values } }) => ({
        ...values,
        purpose,
        position,
        protected_environment_id: made.id,
      })),
    )
    .execute()
  const row = await findProtected(tx.db, container, name)
  record(tx, {
    name: 'environment protected',
    namespace: container.namespace_id,
    target: { type: 'ProtectedEnvironment', id: row.id },
    details: { name, deploy: inWords(row.grants, 'deploy'), approve: inWords(row.grants, 'approve') },
  })
  return row
}

/** @throws 422 when nobody may deploy, in the words that clients know */
export function assertSomebody(deploy: readonly unknown[]): void {
  if (deploy.length === 0) throw new Unprocessable([knownTexts['nobody-deploys']], { code: 'nobody-deploys' })
}

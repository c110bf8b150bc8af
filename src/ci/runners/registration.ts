import { sql } from 'kysely'
import { digestOf } from '#platform/access/digest.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import type { RunnerOwner } from './create-runner.ts'

/** Tokens with which runners make themselves known, until settings end that. */

/** By which programs that look for leaked secrets know such tokens. */
const PREFIX = 'GR1348941'

/**
 * Gives the instance, or a group or project, a new registration token; the one before ends.
 * @param namespace null for the instance
 * @returns the token, of which a digest is stored
 */
export async function resetRegistrationToken(tx: Tx, namespace: number | null): Promise<string> {
  const token = PREFIX + tx.random.bytes(15).toString('base64url')
  const token_digest = digestOf(token)
  await tx.db
    .insertInto('ci_registration_tokens')
    .values({ namespace_id: namespace, token_digest, created_at: tx.now })
    .onConflict((conflict) =>
      conflict.column('namespace_id').doUpdateSet({ token_digest, created_at: tx.now }),
    )
    .execute()
  record(tx, { name: 'runner registration token reset', namespace, target: null, details: {} })
  return token
}

/** What the runner is for that registers itself with a token; undefined for a token that is none's. */
export async function ownerOfRegistration(db: Db, token: string): Promise<RunnerOwner | undefined> {
  const { rows } = await sql<{ namespace_id: number | null; project_id: number | null }>`
    select t.namespace_id, p.id as project_id from ci_registration_tokens t
      left join namespaces n on n.id = t.namespace_id left join projects p on p.project_namespace_id = n.id
    where t.token_digest = ${digestOf(token)} and n.deleted_at is null`.execute(db)
  const [found] = rows
  if (found === undefined) return undefined
  const { namespace_id: namespaceId, project_id: projectId } = found
  if (namespaceId === null) return { type: 'instance_type' }
  return projectId === null
    ? { type: 'group_type', namespaceId }
    : { type: 'project_type', namespaceId, projectId }
}

/** Whether the settings let runners register themselves for what a token is for. */
export function mayRegister(
  { type }: RunnerOwner,
  { allow_runner_registration_token, valid_runner_registrars }: Settings,
): boolean {
  if (!allow_runner_registration_token) return false
  return (
    type === 'instance_type' || valid_runner_registrars.includes(type === 'group_type' ? 'group' : 'project')
  )
}

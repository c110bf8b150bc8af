import { sql } from 'kysely'
import { lockParent } from '#identity/namespaces/lock.ts'
import type { CiRunnerType } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid } from '#platform/refusals.ts'
import { aboutRunner } from './about-runner.ts'
import type { RunnerAttributes } from './attributes.ts'

/** Runners of one group, and of one project. */
export const MOST_RUNNERS = 1_000

/** What a runner is made for. */
export type RunnerOwner =
  | { readonly type: 'instance_type' }
  | { readonly type: 'group_type'; readonly namespaceId: number }
  | { readonly type: 'project_type'; readonly namespaceId: number; readonly projectId: number }

export interface NewRunnerRow extends RunnerAttributes {
  readonly tokenDigest: Buffer
  readonly tokenEnd: string | null
  /** Whether it has come by itself, with a registration token. */
  readonly isRegistered: boolean
}

/** Makes a runner. @returns its id. @throws 400 when the group or project has too many, 404 when it is gone */
export async function createRunner(tx: Tx, owner: RunnerOwner, row: NewRunnerRow): Promise<number> {
  if (owner.type !== 'instance_type') {
    await lockParent(tx, owner.namespaceId)
    if (owner.type === 'group_type') await assertRoomInGroup(tx, owner.namespaceId)
    else await assertRoomInProject(tx, owner.projectId)
  }
  const { tokenDigest, tokenEnd, isRegistered, tags, ...attributes } = row
  const { id } = await tx.db
    .insertInto('ci_runners')
    .values({
      ...attributes,
      tags: [...tags],
      runner_type: owner.type,
      group_namespace_id: owner.type === 'group_type' ? owner.namespaceId : null,
      token_digest: tokenDigest,
      token_expires_at: tokenEnd,
      by_registration: isRegistered,
      creator_id: tx.author?.id ?? null,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (owner.type === 'project_type') {
    await tx.db
      .insertInto('ci_runner_projects')
      .values({ runner_id: id, project_id: owner.projectId, is_owner: true, created_at: tx.now })
      .execute()
  }
  const about = aboutRunner(
    { id, description: row.description },
    owner.type === 'instance_type' ? null : owner.namespaceId,
  )
  record(tx, { name: isRegistered ? 'runner registered' : 'runner created', ...about })
  return id
}

async function assertRoomInGroup(tx: Tx, namespaceId: number): Promise<void> {
  const { rows } = await sql<{ full: boolean }>`select count(*) >= ${MOST_RUNNERS} as full from ci_runners
    where group_namespace_id = ${namespaceId}`.execute(tx.db)
  if (rows[0]?.full) throw tooMany('group_type')
}

/** @throws 400 when the project has as many runners as it can have */
export async function assertRoomInProject(tx: Tx, projectId: number): Promise<void> {
  const { rows } = await sql<{
    full: boolean
  }>`select count(*) >= ${MOST_RUNNERS} as full from ci_runner_projects
    where project_id = ${projectId}`.execute(tx.db)
  if (rows[0]?.full) throw tooMany('project_type')
}

const tooMany = (type: Exclude<CiRunnerType, 'instance_type'>) => {
  const kind = type === 'group_type' ? 'group' : 'project'
  return invalid({ base: [`Maximum number of ci registered ${kind} runners (${MOST_RUNNERS}) exceeded`] })
}

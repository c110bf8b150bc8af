import { lockParent } from '#identity/namespaces/lock.ts'
import { digestOf } from '#platform/access/digest.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Secrets } from '#platform/db/secrets.ts'
import { lockText } from '#platform/db/locks.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Randomness } from '#platform/context.ts'
import { record } from '#platform/facts/record.ts'
import { keyRing, type SealedColumn } from '#platform/key-ring/key-ring.ts'
import { invalid, notFound } from '#platform/refusals.ts'
import { assertBelow } from '../assert-below.ts'
import { PREFIX, type TriggerRow } from './entity.ts'

const SEALED_AS = 'pipeline trigger'

export const sealedTokens: SealedColumn = { table: 'pipeline_triggers', column: 'token', name: SEALED_AS }

interface Services {
  readonly db: Db
  readonly secrets: Secrets
  readonly random: Randomness
}
export interface TriggerProject {
  readonly id: number
  readonly namespace_id: number
}

/** A new token, with what is stored of it. */
export interface NewToken {
  readonly digest: Buffer
  readonly sealed: Buffer
}

export async function newToken(services: Services): Promise<NewToken> {
  const token = PREFIX + services.random.bytes(20).toString('hex')
  return { digest: digestOf(token), sealed: await keyRing(services).seal(SEALED_AS, token) }
}

export const openToken = (services: Omit<Services, 'random'>, { token }: TriggerRow): Promise<string> =>
  keyRing(services).open(SEALED_AS, token)

const aboutTrigger = (project: TriggerProject, id: number, description: string) => ({
  namespace: project.namespace_id,
  target: { type: 'PipelineTrigger', id },
  details: { description },
})

/** Makes a trigger, which its author owns: pipelines that it starts run with their rights. @param most of its project; 0 means no limit @returns its id. @throws 400 past the maximum */
export async function createTrigger(
  tx: Tx,
  project: TriggerProject,
  { description, expires_at = null }: { readonly description: string; readonly expires_at?: string | null },
  { digest, sealed }: NewToken,
  most: number,
): Promise<number> {
  await lockParent(tx, project.namespace_id)
  await lockText(tx, `pipeline triggers of ${project.id}`)
  const { count } = await tx.db
    .selectFrom('pipeline_triggers')
    .select((q) => q.fn.countAll<number>().as('count'))
    .where('project_id', '=', project.id)
    .executeTakeFirstOrThrow()
  assertBelow(most, count, 'pipeline triggers')
  if (expires_at !== null && Date.parse(expires_at) <= Date.parse(tx.now))
    throw invalid({ expires_at: ['must be in the future'] })
  const { id } = await tx.db
    .insertInto('pipeline_triggers')
    .values({
      project_id: project.id,
      description,
      token_digest: digest,
      token: sealed,
      owner_id: tx.author?.id ?? null,
      expires_at,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  record(tx, { name: 'pipeline trigger created', ...aboutTrigger(project, id, description) })
  return id
}

/** @throws 404 `Trigger Not Found` */
export async function updateTrigger(
  tx: Tx,
  project: TriggerProject,
  id: number,
  description: string,
): Promise<void> {
  const changed = await tx.db
    .updateTable('pipeline_triggers')
    .set({ description, updated_at: tx.now })
    .where('project_id', '=', project.id)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (changed === undefined) throw notFound('Trigger')
  record(tx, { name: 'pipeline trigger changed', ...aboutTrigger(project, id, description) })
}

/** @throws 404 `Trigger Not Found` */
export async function deleteTrigger(tx: Tx, project: TriggerProject, id: number): Promise<void> {
  const removed = await tx.db
    .deleteFrom('pipeline_triggers')
    .where('project_id', '=', project.id)
    .where('id', '=', id)
    .returning('description')
    .executeTakeFirst()
  if (removed === undefined) throw notFound('Trigger')
  record(tx, { name: 'pipeline trigger deleted', ...aboutTrigger(project, id, removed.description) })
}

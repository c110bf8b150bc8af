import type { ProjectContainer } from '#platform/access/authorize.ts'
import type { CommitStatusState } from '#platform/db/schema.ts'
import { lockText } from '#platform/db/locks.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { notFound } from '#platform/refusals.ts'
import { insertExternalPipeline } from '../pipelines/insert-external-pipeline.ts'
import { settlePipeline } from '../pipelines/change-jobs.ts'
import type { CommitStatusRow } from './entity.ts'
import { statusesOf } from './queries.ts'

type StatusProject = Pick<ProjectContainer, 'id' | 'namespace_id'>

export interface NewStatus {
  readonly sha: string
  readonly ref: string
  readonly name: string
  readonly state: CommitStatusState
  /** What is not given stays as it is. */
  readonly target_url?: string | null
  readonly description?: string | null
  readonly coverage?: number
  /** Those of other statuses of the commit that this one belongs to. */
  readonly pipelineId?: number
}

/**
 * Says how a check of a commit went. A check that has not finished is changed; otherwise a new one takes the place of
 * the old one.
 * @throws 404 when no status of the commit has `pipelineId`.
 */
export async function setCommitStatus(
  tx: Tx,
  project: StatusProject,
  status: NewStatus,
): Promise<CommitStatusRow> {
  const { sha, ref, name, state } = status
  // Before the pipeline, which all statuses of the commit would wait for.
  await lockText(tx, `statuses of ${project.id} ${sha}`)
  const current = await tx.db
    .selectFrom('commit_statuses')
    .select(['id', 'state', 'started_at', 'pipeline_id'])
    .where('project_id', '=', project.id)
    .where('sha', '=', sha)
    .where('ref', '=', ref)
    .where('name', '=', name)
    .where('retried', '=', false)
    .executeTakeFirst()
  const isOpen = current !== undefined && !isFinished(current.state)
  const id = isOpen ? await change(tx, current, status) : await add(tx, project, current?.id, status)
  await settlePipeline(tx, await pipelineWith(tx, id))
  record(tx, {
    name: 'commit status set',
    namespace: project.namespace_id,
    target: { type: 'CommitStatus', id },
    details: { sha, ref, check: name, state },
  })
  return statusesOf(tx.db, project.id, sha).where('s.id', '=', id).executeTakeFirstOrThrow()
}

async function pipelineWith(tx: Tx, id: number): Promise<number> {
  const found = await tx.db
    .selectFrom('commit_statuses')
    .select('pipeline_id')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return found.pipeline_id
}

const isFinished = (state: CommitStatusState): boolean => state !== 'pending' && state !== 'running'

async function change(
  tx: Tx,
  { id, started_at }: { readonly id: number; readonly started_at: string | null },
  { state, target_url, description, coverage }: NewStatus,
): Promise<number> {
  await tx.db
    .updateTable('commit_statuses')
    .set({
      state,
      ...(target_url !== undefined && { target_url }),
      ...(description !== undefined && { description }),
      ...(coverage !== undefined && { coverage }),
      ...(state === 'running' && started_at === null && { started_at: tx.now }),
      ...(isFinished(state) && { finished_at: tx.now }),
      updated_at: tx.now,
    })
    .where('id', '=', id)
    .execute()
  return id
}

async function add(
  tx: Tx,
  project: StatusProject,
  former: number | undefined,
  status: NewStatus,
): Promise<number> {
  const { sha, ref, name, state, target_url = null, description = null, coverage = null } = status
  const pipeline_id = await pipelineOf(tx, project, status)
  if (former !== undefined) {
    await tx.db.updateTable('commit_statuses').set({ retried: true }).where('id', '=', former).execute()
  }
  if (tx.author === null) throw new Error('A status has an author')
  const { id } = await tx.db
    .insertInto('commit_statuses')
    .values({
      project_id: project.id,
      pipeline_id,
      sha,
      ref,
      name,
      state,
      target_url,
      description,
      coverage,
      author_id: tx.author.id,
      created_at: tx.now,
      started_at: state === 'running' ? tx.now : null,
      finished_at: isFinished(state) ? tx.now : null,
      updated_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** The pipeline of a new status: the one that was asked for, the latest one of the commit on that branch, or a new one. */
async function pipelineOf(tx: Tx, project: StatusProject, status: NewStatus): Promise<number> {
  const { sha, ref, pipelineId } = status
  const latest = await tx.db
    .selectFrom('pipelines')
    .select('id')
    .where('project_id', '=', project.id)
    .where('sha', '=', sha)
    .$if(pipelineId === undefined, (q) => q.where('ref', '=', ref).where('is_child', '=', false))
    .$if(pipelineId !== undefined, (q) => q.where('id', '=', pipelineId ?? 0))
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  if (latest !== undefined) return latest.id
  if (pipelineId !== undefined) throw notFound('Pipeline')
  return insertExternalPipeline(tx, project, status)
}

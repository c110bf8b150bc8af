import { nextIid } from '#identity/namespaces/next-iid.ts'
import { NO_OBJECT } from '#code/git/names.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { aboutFact, pipelineInFacts } from './about-pipeline.ts'

interface ExternalPipeline {
  readonly sha: string
  /** A branch or tag without a prefix. */
  readonly ref: string
}

/** Makes the pipeline of what an external program says of a commit. @returns its id */
export async function insertExternalPipeline(
  tx: Tx,
  project: { readonly id: number; readonly namespace_id: number },
  { sha, ref }: ExternalPipeline,
): Promise<number> {
  const iid = await nextIid(tx, project.namespace_id, 'pipeline')
  const { id } = await tx.db
    .insertInto('pipelines')
    .values({
      project_id: project.id,
      iid,
      source: 'external',
      status: 'created',
      ref,
      tag: false,
      protected: false,
      sha,
      before_sha: NO_OBJECT,
      user_id: tx.author?.id ?? null,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const about = pipelineInFacts(
    { id, iid, ref, sha, source: 'external', merge_request_id: null },
    project.namespace_id,
  )
  record(tx, {
    name: 'pipeline created',
    ...aboutFact(about),
    details: { ...about.details, status: 'created' },
  })
  return id
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { known, notPossible, Refusal, refusal, unauthorized } from '#platform/refusals.ts'
import { flag, text } from '#platform/http/schema.ts'
import { awaitsPipeline } from '../../pipelines/head-pipeline.ts'
import { canMergeInto } from '../can-merge.ts'
import { MergeRequestSingle } from '../entity.ts'
import { ByMergeRequest } from '../parameters.ts'
import { findMergeRequest, lockMergeRequest } from '../queries.ts'
import { presentOne } from '../present-one.ts'
import { cancelAutoMerge } from './auto-merge.ts'
import { assertMayRebase, beginRebase } from './begin-rebase.ts'
import { Conflict, conflictsOf, MOST_CONFLICTS } from './conflicts.ts'
import { mergeMergeRequest } from './merge-merge-request.ts'
import { mergeActorOf } from './merge-actor.ts'
import { mergeRefOf } from './merge-ref.ts'
import { mergeLater } from './merge-later.ts'

const message = (of: string) =>
  Type.Optional(
    text({
      max: 100_000,
      description: `The message of the ${of} commit, instead of the one of the template.`,
    }),
  )

const Merging = Type.Object({
  sha: Type.Optional(
    text({ max: 64, description: 'The commit that you have seen; any other one is refused.' }),
  ),
  squash: Type.Optional(
    flag({ description: 'Whether all commits become one, if the project leaves that open.' }),
  ),
  should_remove_source_branch: Type.Optional(flag({ description: 'Whether the source branch goes.' })),
  merge_commit_message: message('merge'),
  squash_commit_message: message('squashed'),
  auto_merge: Type.Optional(
    flag({
      description:
        'Whether the merge waits for the pipeline, and for what else holds it back, such as a draft title.',
    }),
  ),
  merge_when_pipeline_succeeds: Type.Optional(flag({ description: 'The older name of `auto_merge`.' })),
  skip_merge_train: Type.Optional(flag({ description: 'Without effect: there are no merge trains.' })),
})

const base = '/projects/:id/merge_requests/:merge_request_iid'

/** Routes that merge and rebase merge requests. */
export const mergingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.put(
    `${base}/merge`,
    {
      config: writes(project('merge_merge_request')),
      schema: {
        summary: 'Merge a merge request',
        description:
          '401 for those who may not merge into the target branch, 405 while it is not open, a draft or otherwise held back, 409 when ' +
          'the source branch has another commit than `sha`, and 422 for conflicts and where the project takes a rebase first.',
        params: ByMergeRequest,
        body: Merging,
        refuses: [405, 409, 422],
        response: { 200: MergeRequestSingle },
      },
    },
    async (req) => {
      await merge(req, req.params.merge_request_iid, req.body)
      return presentCurrent(req, req.params.merge_request_iid)
    },
  )

  app.post(
    `${base}/cancel_merge_when_pipeline_succeeds`,
    {
      config: writes(project('merge_merge_request')),
      schema: {
        summary: 'Cancel an automatic merge',
        params: ByMergeRequest,
        response: { 201: MergeRequestSingle },
      },
    },
    async (req) => {
      const { merge_request_iid: iid } = req.params
      const { target_branch, author_id } = await findMergeRequest(app.db, req.viewer, req.project(), iid)
      if (author_id !== req.user().id && !(await canMergeInto(req, target_branch))) throw unauthorized()
      await req.write(async (tx) =>
        cancelAutoMerge(tx, await lockMergeRequest(tx, req.viewer, req.project(), iid)),
      )
      return presentCurrent(req, iid)
    },
  )

  app.put(
    `${base}/rebase`,
    {
      config: writes(project('merge_merge_request')),
      schema: {
        summary: 'Rebase a merge request',
        description:
          'Puts the commits of the source branch on top of the target branch, in the background. `merge_error` of the merge request ' +
          'says why it failed.',
        params: ByMergeRequest,
        body: Type.Object({
          skip_ci: Type.Optional(flag({ description: 'Without effect: there are no pipelines.' })),
        }),
        refuses: [405, 409],
        response: { 202: Type.Object({ rebase_in_progress: Type.Boolean() }) },
      },
    },
    async (req) => {
      await startRebase(req, req.params.merge_request_iid)
      return { rebase_in_progress: true }
    },
  )

  app.get(
    `${base}/merge_ref`,
    {
      config: reads(project('read_merge_request'), { anonymous: true }),
      schema: {
        summary: 'Get the commit that merging would give',
        description: 'Nobody sees that commit on a branch. It is made anew when the branches have changed.',
        params: ByMergeRequest,
        refuses: [400],
        response: { 200: Type.Object({ commit_id: Type.String() }) },
      },
    },
    async (req) => {
      const row = await findMergeRequest(app.db, req.viewer, req.project(), req.params.merge_request_iid)
      const commit_id = await mergeRefOf(app.services.repositories, row)
      if (commit_id === undefined) throw refusal('The merge request cannot be merged')
      return { commit_id }
    },
  )

  app.get(
    `${base}/conflicts`,
    {
      config: reads(project('read_merge_request')),
      schema: {
        summary: 'List the files in which a merge request conflicts',
        description: `The first ${MOST_CONFLICTS}, as both branches are now. Of an open merge request alone.`,
        params: ByMergeRequest,
        response: { 200: Type.Array(Conflict) },
      },
    },
    async (req) => {
      const row = await findMergeRequest(app.db, req.viewer, req.project(), req.params.merge_request_iid)
      return (await conflictsOf(app.services.repositories, row)).map((path) => ({ path }))
    },
  )
}

async function presentCurrent(req: FastifyRequest, iid: number): Promise<Static<typeof MergeRequestSingle>> {
  return presentOne(req, await findMergeRequest(req.server.db, req.viewer, req.project(), iid))
}

async function merge(req: FastifyRequest, iid: number, asked: Static<typeof Merging>): Promise<void> {
  const { auto_merge, merge_when_pipeline_succeeds, ...rest } = asked
  const { skip_merge_train: _withoutEffect, ...options } = rest
  const waits = auto_merge ?? merge_when_pipeline_succeeds ?? false
  const { db } = req.server
  if (waits && (await awaitsPipeline(db, (await findMergeRequest(db, req.viewer, req.project(), iid)).id))) {
    await mergeLater(req, iid, options, notPossible(known('held-back')))
    return
  }
  try {
    await mergeMergeRequest(req.server.services.repositories, mergeActorOf(req), iid, options)
  } catch (error) {
    if (!waits || !(error instanceof Refusal) || error.code !== 'held-back') throw error
    await mergeLater(req, iid, options, error)
  }
}

async function startRebase(req: FastifyRequest, iid: number): Promise<void> {
  const found = await findMergeRequest(req.server.db, req.viewer, req.project(), iid)
  await assertMayRebase(req, found)
  await req.write(async (tx) => {
    const row = await lockMergeRequest(tx, req.viewer, req.project(), iid)
    await beginRebase(tx, row, { userId: req.user().id, site: req.site })
  })
}

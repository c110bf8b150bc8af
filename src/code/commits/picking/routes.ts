import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { MAX_NAME } from '#code/repositories/limits.ts'
import { findCommit, requestedRepository } from '#code/repositories/requested.ts'
import { project, writes } from '#platform/access/route-access.ts'
import { flag, oneOf, text } from '#platform/http/schema.ts'
import { CommitEntity } from '../entity.ts'
import { ByCommit } from '../by-commit.ts'
import { presentOneCommit } from '../present.ts'
import { pickCommit } from './pick-commit.ts'

const Trial = Type.Object({ dry_run: oneOf(['success']) }, { description: 'The answer to a trial.' })

const Target = Type.Object({
  branch: text({ max: MAX_NAME, filled: true, description: 'The branch that gets the commit.' }),
  dry_run: flag({ default: false, description: 'Whether to try without changing anything.' }),
})
const TargetWithMessage = Type.Object({
  ...Target.properties,
  message: Type.Optional(text({ max: 100_000, description: 'Instead of the message of the commit.' })),
})

const routes = [
  { kind: 'cherry_pick', summary: 'Cherry-pick a commit', body: TargetWithMessage },
  { kind: 'revert', summary: 'Revert a commit', body: Target },
] as const

/** Routes that apply the change of a commit elsewhere, or take it back. */
export const pickingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const { kind, summary, body } of routes) {
    app.post(
      `/projects/:id/repository/commits/:sha/${kind}`,
      {
        config: writes(project('commit_code')),
        schema: {
          summary,
          description: 'The change of a merge is that against its first parent.',
          params: ByCommit,
          body,
          refuses: [409],
          response: { 200: Trial, 201: CommitEntity },
        },
      },
      async (req, reply) => {
        const { dry_run, ...target } = req.body
        const { repository, commit } = await findCommit(await requestedRepository(req), req.params.sha)
        const made = await pickCommit(req, repository, { kind, commit, ...target }, dry_run)
        if (made === undefined) return reply.code(200).send({ dry_run: 'success' })
        return reply.code(201).send(await presentOneCommit(req, repository, made, { trailers: true }))
      },
    )
  }
}

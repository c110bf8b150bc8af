import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { findCommit, requestedRepository } from '#code/repositories/requested.ts'
import { project, reads } from '#platform/access/route-access.ts'
import { notFound } from '#platform/refusals.ts'
import { ByCommit } from '../by-commit.ts'
import { CommitSignature, presentSignature, VERIFICATION } from './entity.ts'
import { verifySignature } from './verify-signature.ts'

/** The route for the signature of a commit. */
export const signatureRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/projects/:id/repository/commits/:sha/signature',
    {
      config: reads(project('download_code'), { anonymous: true }),
      schema: {
        summary: 'Get the signature of a commit',
        description: VERIFICATION,
        params: ByCommit,
        response: { 200: CommitSignature },
      },
    },
    async (req) => {
      const { commit } = await findCommit(await requestedRepository(req), req.params.sha)
      const { signature, signed, committer } = commit
      if (signature === undefined || signed === undefined) throw notFound('Signature')
      const verified = await verifySignature(app.db, { signature, signed, email: committer.email })
      return presentSignature(verified, { site: req.site, showsKey: req.viewer.id !== null })
    },
  )
}

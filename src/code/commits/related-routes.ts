import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { findCommit, requestedRepository } from '#code/repositories/requested.ts'
import { project, reads } from '#platform/access/route-access.ts'
import { notFound } from '#platform/http/errors.ts'
import { paginateNothing } from '#platform/http/pagination.ts'
import { entity, nullable, text } from '#platform/http/schema.ts'
import { ByCommit, Page } from './parameters.ts'
import { signatureKind } from './signature-kind.ts'

const config = reads(project('download_code'), { anonymous: true })

const MergeRequestFilter = Type.Object({ ...Page.properties, state: Type.Optional(text()) })

/** Routes for what belongs to a commit. */
export const relatedRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/projects/:id/repository/commits/:sha/merge_requests',
    {
      config,
      schema: {
        summary: 'List the merge requests that brought a commit',
        description: 'Empty: there are no merge requests yet.',
        params: ByCommit,
        querystring: MergeRequestFilter,
        response: { 200: Type.Array(Type.Object({})) },
      },
    },
    async (req, reply) => {
      await findCommit(await requestedRepository(req), req.params.sha)
      return paginateNothing(req, reply)
    },
  )

  app.get(
    '/projects/:id/repository/commits/:sha/signature',
    {
      config,
      schema: {
        summary: 'Get the signature of a commit',
        description: 'Nobody verifies signatures yet, so all are `unverified`.',
        params: ByCommit,
        response: { 200: CommitSignature },
      },
    },
    async (req) => {
      const { commit } = await findCommit(await requestedRepository(req), req.params.sha)
      if (commit.signature === undefined) throw notFound('GPG Signature')
      return {
        signature_type: signatureKind(commit.signature),
        verification_status: 'unverified',
        commit_source: 'gitaly',
        gpg_key_id: null,
        gpg_key_primary_keyid: null,
        gpg_key_user_name: null,
        gpg_key_user_email: null,
        gpg_key_subkey_id: null,
        key: null,
        x509_certificate: null,
      }
    },
  )
}

const none = () => Type.Unsafe<null>({ type: 'null' })

const CommitSignature = entity('CommitSignature', {
  signature_type: Type.String({ description: '`PGP`, `SSH` or `X509`.' }),
  verification_status: Type.String(),
  commit_source: nullable(Type.String()),
  gpg_key_id: none(),
  gpg_key_primary_keyid: none(),
  gpg_key_user_name: none(),
  gpg_key_user_email: none(),
  gpg_key_subkey_id: none(),
  key: none(),
  x509_certificate: none(),
})

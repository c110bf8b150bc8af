import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { CommitAction } from '#code/commits/writing/actions.ts'
import { createCommit } from '#code/commits/writing/create-commit.ts'
import { content, encoding, executable, lastCommitId, writing } from '#code/commits/writing/schema.ts'
import { requiredRepository } from '#code/repositories/requested.ts'
import { project, writes } from '#platform/access/route-access.ts'
import { refusal } from '#platform/refusals.ts'
import { entity, NoContent } from '#platform/http/schema.ts'
import { ByFile } from './parameters.ts'

const FileWritten = entity('FileWritten', { file_path: Type.String(), branch: Type.String() })

const NewFile = Type.Object({
  ...writing,
  content,
  encoding: Type.Optional(encoding),
  execute_filemode: Type.Optional(executable),
})
const FileChange = Type.Object({ ...NewFile.properties, last_commit_id: Type.Optional(lastCommitId) })
const FileDeletion = Type.Object({ ...writing, last_commit_id: Type.Optional(lastCommitId) })

const config = writes(project('commit_code'))

/** Routes that write one file, each with a commit. */
export const fileWritingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const [method, status, summary, action, body] of [
    ['POST', 201, 'Create a file', 'create', NewFile],
    ['PUT', 200, 'Change a file', 'update', FileChange],
  ] as const) {
    app.route({
      method,
      url: '/projects/:id/repository/files/:file_path',
      config,
      schema: { summary, params: ByFile, body, refuses: [409], response: { [status]: FileWritten } },
      handler: async (req, reply) => {
        const { file_path } = req.params
        await commit(req, { ...req.body, action, file_path })
        return reply.code(status).send({ file_path, branch: req.body.branch })
      },
    })
  }

  app.delete(
    '/projects/:id/repository/files/:file_path',
    {
      config,
      schema: {
        summary: 'Delete a file',
        params: ByFile,
        querystring: FileDeletion,
        refuses: [409],
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await commit(req, { ...req.query, action: 'delete', file_path: req.params.file_path })
    },
  )
}

interface FileWriting extends CommitAction {
  readonly branch: string
  readonly commit_message: string
  readonly start_branch?: string
  readonly author_name?: string
  readonly author_email?: string
}

async function commit(req: FastifyRequest, asked: FileWriting): Promise<void> {
  const { branch, commit_message: message, start_branch, author_name, author_email, ...action } = asked
  const wanted = {
    branch,
    message,
    actions: [action],
    ...(start_branch !== undefined && { start_branch }),
    ...(author_name !== undefined && { author_name }),
    ...(author_email !== undefined && { author_email }),
  }
  // Clients of these routes expect 400 where the one for commits answers 403.
  await createCommit(req, await requiredRepository(req), wanted, { onRefused: refusal })
}

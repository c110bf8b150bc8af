import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { findFile } from '#code/files/find-file.ts'
import { blobAnswers, sendBlob } from '#code/repositories/send-blob.ts'
import { notFound } from '#platform/refusals.ts'
import { NoContent } from '#platform/http/schema.ts'
import { UserAgentDetail } from '#planning/issues/user-agent-route.ts'
import { createSnippet } from './create-snippet.ts'
import { deleteSnippet } from './delete-snippet.ts'
import { presentSnippet, Snippet } from './entity.ts'
import { inProject, personal, type SnippetsOf } from './kinds.ts'
import { SnippetChanges } from './parameters.ts'
import { findSnippet } from './queries.ts'
import { updateSnippet } from './update-snippet.ts'
import { findUserAgent } from './user-agent.ts'

/** Routes for single snippets of persons and of projects; list-routes.ts has the lists. */
export const snippetRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const kind of [personal, inProject]) {
    await app.register(routesOf(kind))
    await app.register(fileRoutesOf(kind))
  }
}

const find = (req: FastifyRequest, { place, idOf }: SnippetsOf) =>
  findSnippet(req.server.db, place(req).scope, idOf(req))

function routesOf(kind: SnippetsOf): FastifyPluginAsyncTypebox {
  const { collection, one, title, of, params, collectionParams, place, idOf, New } = kind
  return async (app) => {
    const { db } = app
    app.get(
      one,
      { config: kind.reading, schema: { summary: `Get ${title}`, params, response: { 200: Snippet } } },
      async (req) => presentSnippet(await find(req, kind), req),
    )

    app.post(
      collection,
      {
        config: kind.creating,
        schema: {
          summary: `Create a snippet ${of}`,
          ...(collectionParams && { params: collectionParams }),
          body: New,
          refuses: [400],
          checkedForSpam: true,
          response: { 201: Snippet },
        },
      },
      async (req) => presentSnippet(await createSnippet(req, place(req), req.body), req),
    )

    app.put(
      one,
      {
        config: kind.changing,
        schema: {
          summary: `Change ${title}`,
          description: 'Changes of files are one commit. `files` says what happens to each of them.',
          params,
          body: SnippetChanges,
          refuses: [412],
          checkedForSpam: true,
          response: { 200: Snippet },
        },
      },
      async (req) => presentSnippet(await updateSnippet(req, place(req), idOf(req), req.body), req),
    )

    app.delete(
      one,
      {
        config: kind.changing,
        schema: { summary: `Delete ${title}`, params, refuses: [412], response: { 204: NoContent } },
      },
      async (req) => {
        await deleteSnippet(req, place(req), idOf(req))
      },
    )

    app.get(
      `${one}/user_agent_detail`,
      {
        config: kind.inspecting,
        schema: {
          summary: `Get the address and program that ${title} was created with`,
          params,
          response: { 200: UserAgentDetail },
        },
      },
      async (req) => {
        const { id } = await find(req, kind)
        return findUserAgent(db, id)
      },
    )
  }
}

function fileRoutesOf(kind: SnippetsOf): FastifyPluginAsyncTypebox {
  const { one, title, params, byFile } = kind

  /** The repository of the snippet that a request names. */
  const open = async (req: FastifyRequest) => {
    const snippet = await find(req, kind)
    const repository = await req.server.services.repositories.find({ kind: 'snippet', snippet: snippet.id })
    return { snippet, repository }
  }

  return async (app) => {
    app.route({
      method: ['GET', 'HEAD'],
      url: `${one}/raw`,
      config: kind.reading,
      schema: { summary: `Get the bytes of the first file of ${title}`, params, response: blobAnswers },
      handler: async (req, reply) => {
        const { snippet, repository } = await open(req)
        const [path] = snippet.file_paths
        if (path === undefined) throw notFound('File')
        const file = await findFile(repository, 'HEAD', path)
        return sendBlob(req, reply, file.repository, { ...file.blob, filename: file.entry.name })
      },
    })

    app.route({
      method: ['GET', 'HEAD'],
      url: `${one}/files/:ref/:file_path/raw`,
      config: kind.reading,
      schema: { summary: `Get the bytes of a file of ${title}`, params: byFile, response: blobAnswers },
      handler: async (req, reply) => {
        const { repository } = await open(req)
        const file = await findFile(repository, req.params.ref, req.params.file_path)
        return sendBlob(req, reply, file.repository, { ...file.blob, filename: file.entry.name })
      },
    })
  }
}

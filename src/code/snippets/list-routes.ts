import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type RawBuilder, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { anyone, reads } from '#platform/access/route-access.ts'
import { inlineBytes, sendLong } from '#platform/http/long-rows.ts'
import { paginate, paginateIds } from '#platform/http/pagination.ts'
import { ById } from '#platform/http/schema.ts'
import { presentSnippet, Snippet, type SnippetRow } from './entity.ts'
import { inProject } from './kinds.ts'
import { allSnippets, conditionsOf } from './list-snippets.ts'
import { Filter, FilterOfAll, SnippetPages } from './parameters.ts'
import { snippetOrder, snippetsFor, visibleIn } from './queries.ts'
import { snippetVisibleTo } from './visible.ts'

const response = { 200: Type.Array(Snippet) }

/** Lists of snippets, newest first. */
export const snippetListRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    inProject.collection,
    {
      config: inProject.reading,
      schema: {
        summary: 'List the snippets of a project',
        params: ById,
        querystring: SnippetPages,
        response,
      },
    },
    (req, reply) => sendList(req, reply, visibleIn(inProject.place(req).scope)),
  )

  app.get(
    '/snippets',
    {
      config: reads(anyone),
      schema: { summary: 'List your own snippets that belong to no project', querystring: Filter, response },
    },
    (req, reply) =>
      sendList(
        req,
        reply,
        sql<boolean>`(s.project_id is null and s.author_id = ${req.viewer.id} and ${conditionsOf(req.query, req.viewer)})`,
      ),
  )

  app.get(
    '/snippets/public',
    {
      config: reads(anyone, { anonymous: true }),
      schema: { summary: "List everybody's public snippets", querystring: Filter, response },
    },
    (req, reply) =>
      sendList(
        req,
        reply,
        sql<boolean>`(s.project_id is null and s.visibility = 'public' and n.deleted_at is null
          and ${conditionsOf(req.query, req.viewer)})`,
      ),
  )

  app.get(
    '/snippets/all',
    {
      config: reads(anyone),
      schema: {
        summary: 'List all snippets that you may see',
        description: 'Also those of projects.',
        querystring: FilterOfAll,
        response,
      },
    },
    async (req, reply) => {
      const list = allSnippets(db, req.viewer, req.query, inlineBytes(req.query))
      return send(req, reply, await paginateIds(req, reply, list, snippetOrder))
    },
  )

  type ListRequest = FastifyRequest<{ Querystring: Static<typeof SnippetPages> }>

  async function sendList(req: ListRequest, reply: FastifyReply, condition: RawBuilder<boolean>) {
    const query = snippetsFor(db, inlineBytes(req.query)).where(condition)
    return send(req, reply, await paginate(req, reply, query, snippetOrder))
  }

  /** Long descriptions are read while the answer is sent. */
  function send(req: FastifyRequest, reply: FastifyReply, rows: readonly SnippetRow[]) {
    const long = {
      rows,
      lacks: ({ left_out }: SnippetRow) => left_out ?? 0,
      whole: (ids: readonly number[]) =>
        snippetsFor(db)
          .where(sql<boolean>`s.id = any(${[...ids]}::bigint[])`)
          .where(snippetVisibleTo(req.viewer))
          .execute(),
    }
    return sendLong(req, reply, long, (some) => some.map((row) => presentSnippet(row, req)))
  }
}

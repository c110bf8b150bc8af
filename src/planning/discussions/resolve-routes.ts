import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { sendLong } from '#platform/http/long-rows.ts'
import { flag } from '#platform/http/schema.ts'
import { lockNoteable, noteableOf } from '#planning/noteables/find-noteable.ts'
import { guardsOf } from '#planning/noteables/guards.ts'
import { noteableKinds } from '#planning/noteables/kinds.ts'
import { pathOf } from '#planning/noteables/identity.ts'
import type { SingleNote } from '#planning/notes/queries.ts'
import { discussionOn, type DiscussionRow, discussionsOf, presentDiscussion } from './entity.ts'
import { byDiscussion } from './parameters.ts'
import { findDiscussion, findStart } from './queries.ts'
import { resolveThread } from './resolve.ts'
import { discussionByDiscussion } from './write-discussions.ts'

const Resolving = Type.Object({ resolved: flag({ description: 'false opens the thread again.' }) })

/** Resolving threads, on kinds of noteables whose threads can be resolved. */
export const resolvingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  for (const kind of noteableKinds()) {
    if (kind.resolving === undefined) continue
    app.put(
      `${pathOf(kind)}/discussions/:discussion_id`,
      {
        config: guardsOf(kind).writing,
        schema: {
          summary: `Resolve a thread on ${kind.title}`,
          description: `Or open it again. This is for the author of the ${kind.noun}, and from Developer up.`,
          params: byDiscussion(kind),
          body: Resolving,
          response: { 200: discussionOn(kind) },
        },
      },
      async (req, reply) => {
        const { discussion_id } = req.params
        const found = await noteableOf(req, kind)
        const on = await req.write(async (tx) => {
          const on = await lockNoteable(tx, req, found)
          const first = await findStart(tx.db, on, discussion_id)
          await resolveThread(tx, req, on, first, req.body.resolved)
          return on
        })
        const present = (row: DiscussionRow) => presentDiscussion(row, on, req)
        const one = (some: readonly SingleNote[]) => discussionsOf(some).map(present)[0]
        const notes = await findDiscussion(db, on, discussion_id)
        return sendLong(req, reply, notes, one, discussionByDiscussion(present, 'one'))
      },
    )
  }
}

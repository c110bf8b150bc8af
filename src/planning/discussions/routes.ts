import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { countAgainstNoteLimit } from '#planning/notes/note-limit.ts'
import { sendLong } from '#platform/http/long-rows.ts'
import { paginate } from '#platform/http/pagination.ts'
import { noteableKinds } from '#planning/noteables/kinds.ts'
import {
  actionsFor,
  lockForComment,
  noteableOf,
  noteableToDiscuss,
} from '#planning/noteables/find-noteable.ts'
import { guardsOf } from '#planning/noteables/guards.ts'
import { newThread } from '#planning/noteables/note-schemas.ts'
import { pathOf } from '#planning/noteables/identity.ts'
import { byNoteable } from '#planning/noteables/paths.ts'
import { CommandsOnly } from '#planning/notes/entity.ts'
import type { SingleNote } from '#planning/notes/queries.ts'
import { submitNoteToThread } from '#planning/notes/submit-note.ts'
import { discussionOn, type DiscussionRow, discussionsOf, presentDiscussion } from './entity.ts'
import { byDiscussion, DiscussionPages } from './parameters.ts'
import { discussionOrder, discussionsOn, findDiscussion, notesIn } from './queries.ts'
import { discussionByDiscussion } from './write-discussions.ts'
import { checkNote } from '#planning/spam/check-note.ts'

/** Discussions on every kind of noteable; note-routes.ts has the notes in them. */
export const discussionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  for (const kind of noteableKinds()) {
    const path = `${pathOf(kind)}/discussions`
    const { title, deprecated } = kind
    const { reading, writing } = guardsOf(kind)

    app.get(
      path,
      {
        config: reading,
        schema: {
          summary: `List the discussions of ${title}`,
          deprecated,
          description: 'Oldest first, each with its notes. A single note is a discussion of one note.',
          params: byNoteable(kind, {}),
          querystring: DiscussionPages,
          response: { 200: Type.Array(discussionOn(kind)) },
        },
      },
      async (req, reply) => {
        const on = await noteableOf(req, kind)
        const { with_reactions: withReactions, on_diff: onDiff } = req.query
        const page = await paginate(req, reply, discussionsOn(db, on, onDiff), discussionOrder)
        const ids = page.map(({ id }) => id)
        const present = (row: DiscussionRow) => presentDiscussion(row, on, req)
        const all = (some: readonly SingleNote[]) => discussionsOf(some).map(present)
        const notes = await notesIn(db, on, ids, { withReactions })
        return sendLong(req, reply, notes, all, discussionByDiscussion(present, 'array'))
      },
    )

    app.get(
      `${path}/:discussion_id`,
      {
        config: reading,
        schema: {
          summary: `Get a discussion of ${title}`,
          deprecated,
          params: byDiscussion(kind),
          response: { 200: discussionOn(kind) },
        },
      },
      async (req, reply) => {
        const on = await noteableOf(req, kind)
        const notes = await findDiscussion(db, on, req.params.discussion_id)
        const present = (row: DiscussionRow) => presentDiscussion(row, on, req)
        const one = (some: readonly SingleNote[]) => discussionsOf(some).map(present)[0]
        return sendLong(req, reply, notes, one, discussionByDiscussion(present, 'one'))
      },
    )

    app.post(
      path,
      {
        config: writing,
        schema: {
          summary: `Start a discussion on ${title}`,
          deprecated,
          description: 'Counts against the limit of notes per minute.',
          params: byNoteable(kind, {}),
          body: newThread(kind),
          checkedForSpam: true,
          response: { 201: discussionOn(kind), ...(kind.quickActions && { 202: CommandsOnly }) },
        },
      },
      async (req, reply) => {
        await countAgainstNoteLimit(req)
        const found = await noteableToDiscuss(req, kind)
        await checkNote(req, req.body.body)
        const actions = await actionsFor(req, found, req.body.body)
        const { position, commit_id } = req.body
        const placed = position && (await kind.place?.(req, found, position, commit_id))
        const suggested = await kind.suggesting?.read(req, found, req.body.body, async () => placed)
        const { on, written } = await req.write(async (tx) => {
          const on = await lockForComment(tx, req, found, req.body.body)
          return {
            on,
            written: await submitNoteToThread(
              tx,
              req,
              on,
              { ...req.body, placed, suggested, actions },
              'new',
            ),
          }
        })
        if (written.kind === 'commands') return reply.code(202).send(written.answer)
        const { note } = written
        return reply.code(201).send(presentDiscussion({ id: note.discussion_id, notes: [note] }, on, req))
      },
    )
  }
}

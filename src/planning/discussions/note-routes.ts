import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { countAgainstNoteLimit } from '#planning/notes/note-limit.ts'
import { sendLong } from '#platform/http/long-rows.ts'
import { NoContent } from '#platform/http/schema.ts'
import { noteableKinds } from '#planning/noteables/kinds.ts'
import { actionsFor, lockNoteable, noteableOf, noteableToDiscuss } from '#planning/noteables/find-noteable.ts'
import { guardsOf } from '#planning/noteables/guards.ts'
import { newReply, threadNoteChanges } from '#planning/noteables/note-schemas.ts'
import { pathOf } from '#planning/noteables/identity.ts'
import { updateNote, deleteNote } from '#planning/notes/change-note.ts'
import { CommandsOnly, noteOn, presentNote, presentNotes } from '#planning/notes/entity.ts'
import { findNote } from '#planning/notes/queries.ts'
import { submitNoteToThread } from '#planning/notes/submit-note.ts'
import { byDiscussion, byNoteInDiscussion } from './parameters.ts'
import { suggestedBy } from './suggested-by.ts'
import { findDiscussion, findStart, findThread } from './queries.ts'
import { resolveNote } from './resolve.ts'
import { checkNote } from '#planning/spam/check-note.ts'

/** The notes in discussions. */
export const discussionNoteRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  for (const kind of noteableKinds()) {
    const path = `${pathOf(kind)}/discussions/:discussion_id/notes`
    const { title, deprecated } = kind
    const { reading, writing } = guardsOf(kind)

    app.get(
      path,
      {
        config: reading,
        schema: {
          summary: `List the notes in a discussion of ${title}`,
          deprecated,
          description: 'All notes, oldest first.',
          params: byDiscussion(kind),
          response: { 200: Type.Array(noteOn(kind)) },
        },
      },
      async (req, reply) => {
        const on = await noteableOf(req, kind)
        const notes = await findDiscussion(db, on, req.params.discussion_id)
        return sendLong(req, reply, notes, (some) => presentNotes(some, on, req))
      },
    )

    app.get(
      `${path}/:note_id`,
      {
        config: reading,
        schema: {
          summary: `Get a note in a discussion of ${title}`,
          deprecated,
          params: byNoteInDiscussion(kind),
          response: { 200: noteOn(kind) },
        },
      },
      async (req) => {
        const on = await noteableOf(req, kind)
        const { discussion_id: id } = await findStart(db, on, req.params.discussion_id)
        return presentNote(await findNote(db, on, req.params.note_id, id), on, req)
      },
    )

    app.post(
      path,
      {
        config: writing,
        schema: {
          summary: `Reply in a discussion of ${title}`,
          deprecated,
          description:
            'A reply to a single note turns it into a thread. A reply is internal if the note that it replies to is internal. Counts against ' +
            'the limit of notes in a minute.',
          params: byDiscussion(kind),
          body: newReply(kind),
          checkedForSpam: true,
          response: { 201: noteOn(kind), ...(kind.quickActions && { 202: CommandsOnly }) },
        },
      },
      async (req, reply) => {
        const { discussion_id } = req.params
        await countAgainstNoteLimit(req)
        const found = await noteableToDiscuss(req, kind)
        await checkNote(req, req.body.body)
        const actions = await actionsFor(req, found, req.body.body)
        const suggested = await suggestedBy(req, found, req.body.body, discussion_id)
        const { on, written } = await req.write(async (tx) => {
          const on = await lockNoteable(tx, req, found, req.body.body)
          const thread = await findThread(tx, on, discussion_id)
          const prepared = { ...req.body, suggested, actions }
          return { on, written: await submitNoteToThread(tx, req, on, prepared, thread) }
        })
        if (written.kind === 'commands') return reply.code(202).send(written.answer)
        return reply.code(201).send(presentNote(written.note, on, req, written.commands))
      },
    )

    app.put(
      `${path}/:note_id`,
      {
        config: writing,
        schema: {
          summary: `Change a note in a discussion of ${title}`,
          deprecated,
          description:
            "You can change and delete your own notes. For others' notes you need the role Maintainer." +
            (kind.resolving === undefined ? '' : ' With `resolved`, it resolves the note or opens it again.'),
          params: byNoteInDiscussion(kind),
          body: threadNoteChanges(kind),
          refuses: [412],
          checkedForSpam: true,
          response: { 200: noteOn(kind) },
        },
      },
      async (req) => {
        const { note_id: id, discussion_id } = req.params
        const { resolved, ...changes } = req.body
        const found = await noteableToDiscuss(req, kind)
        await checkNote(req, changes.body)
        const suggested = await suggestedBy(req, found, changes.body, discussion_id)
        return req.write(async (tx) => {
          const on = await lockNoteable(tx, req, found, changes.body)
          const named = { id, discussionId: (await findStart(tx.db, on, discussion_id)).discussion_id }
          const changed =
            resolved === undefined
              ? await updateNote(tx, req, on, named, { ...changes, suggested })
              : await resolveNote(tx, req, on, named, resolved)
          return presentNote(changed, on, req)
        })
      },
    )

    app.delete(
      `${path}/:note_id`,
      {
        config: writing,
        schema: {
          summary: `Delete a note in a discussion of ${title}`,
          deprecated,
          description:
            "You can change and delete your own notes. For others' notes you need the role Maintainer.",
          params: byNoteInDiscussion(kind),
          refuses: [412],
          response: { 204: NoContent },
        },
      },
      async (req) => {
        const { note_id: id, discussion_id } = req.params
        const found = await noteableOf(req, kind)
        await req.write(async (tx) => {
          const on = await lockNoteable(tx, req, found)
          const { discussion_id: discussionId } = await findStart(tx.db, on, discussion_id)
          await deleteNote(tx, req, on, { id, discussionId })
        })
      },
    )
  }
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { AwardEmoji, presentAward } from '#planning/award-emoji/entity.ts'
import { countAgainstNoteLimit } from './note-limit.ts'
import { sendLong } from '#platform/http/long-rows.ts'
import { paginate } from '#platform/http/pagination.ts'
import { NoContent } from '#platform/http/schema.ts'
import { noteableKinds } from '#planning/noteables/kinds.ts'
import {
  actionsFor,
  lockForComment,
  lockNoteable,
  noteableOf,
  noteableToDiscuss,
} from '#planning/noteables/find-noteable.ts'
import { guardsOf } from '#planning/noteables/guards.ts'
import { newNote, noteChanges } from '#planning/noteables/note-schemas.ts'
import { pathOf } from '#planning/noteables/identity.ts'
import { byNoteable } from '#planning/noteables/paths.ts'
import { checkNote } from '#planning/spam/check-note.ts'
import { updateNote, deleteNote } from './change-note.ts'
import { CommandsOnly, noteOn, presentNote, presentNotes } from './entity.ts'
import { byNote, noteFilter } from './parameters.ts'
import { findNote, listNotes, longNotes, noteOrder } from './queries.ts'
import { submitNote } from './submit-note.ts'

/** Notes on every kind of noteable. */
export const noteRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  for (const kind of noteableKinds()) {
    if (kind.discussionsOnly) continue
    const path = `${pathOf(kind)}/notes`
    const { title, deprecated } = kind
    const { readingNotes, writing } = guardsOf(kind)

    app.get(
      path,
      {
        config: readingNotes,
        schema: {
          summary: `List the notes on ${title}`,
          deprecated,
          params: byNoteable(kind, {}),
          querystring: noteFilter(kind),
          response: { 200: Type.Array(noteOn(kind)) },
        },
      },
      async (req, reply) => {
        const on = await noteableOf(req, kind)
        const rows = await paginate(req, reply, listNotes(on, req.query), noteOrder)
        return sendLong(req, reply, { rows, ...longNotes(db, on) }, (some) => presentNotes(some, on, req))
      },
    )

    app.get(
      `${path}/:note_id`,
      {
        config: readingNotes,
        schema: {
          summary: `Get a note on ${title}`,
          deprecated,
          params: byNote(kind),
          response: { 200: noteOn(kind) },
        },
      },
      async (req) => {
        const on = await noteableOf(req, kind)
        return presentNote(await findNote(db, on, req.params.note_id), on, req)
      },
    )

    app.post(
      path,
      {
        config: writing,
        schema: {
          summary: `Write a note on ${title}`,
          deprecated,
          description:
            'The setting `notes_create_limit` limits notes per minute; beyond it the answer is 429. An emoji alone ' +
            'becomes a reaction, and the answer is the reaction. Quick actions alone are applied, and the answer is ' +
            '202.',
          params: byNoteable(kind, {}),
          body: newNote(kind),
          checkedForSpam: true,
          response: { 201: Type.Union([noteOn(kind), AwardEmoji]), 202: CommandsOnly },
        },
      },
      async (req, reply) => {
        await countAgainstNoteLimit(req)
        const found = await noteableToDiscuss(req, kind)
        await checkNote(req, req.body.body)
        const actions = await actionsFor(req, found, req.body.body)
        const { on, written } = await req.write(async (tx) => {
          const on = await lockForComment(tx, req, found, req.body.body)
          return { on, written: await submitNote(tx, req, on, { ...req.body, actions }) }
        })
        if (written.kind === 'commands') return reply.code(202).send(written.answer)
        if (written.kind === 'award') return reply.code(201).send(presentAward(written.award, req.site))
        return reply.code(201).send(presentNote(written.note, on, req, written.commands))
      },
    )

    app.put(
      `${path}/:note_id`,
      {
        config: writing,
        schema: {
          summary: `Change a note on ${title}`,
          deprecated,
          description:
            "You can change and delete your own notes. For others' notes you need the role Maintainer.",
          params: byNote(kind),
          body: noteChanges(kind),
          refuses: [412],
          checkedForSpam: true,
          response: { 200: noteOn(kind) },
        },
      },
      async (req) => {
        const found = await noteableToDiscuss(req, kind)
        await checkNote(req, req.body.body)
        const { note_id: id } = req.params
        const { body = '' } = req.body
        const position = async () => (await findNote(db, found, id)).position
        const suggested = await kind.suggesting?.read(req, found, body, position)
        return req.write(async (tx) => {
          const on = await lockNoteable(tx, req, found, req.body.body)
          const note = await updateNote(tx, req, on, { id }, { ...req.body, suggested })
          return presentNote(note, on, req)
        })
      },
    )

    app.delete(
      `${path}/:note_id`,
      {
        config: writing,
        schema: {
          summary: `Delete a note on ${title}`,
          deprecated,
          description:
            "You can change and delete your own notes. For others' notes you need the role Maintainer.",
          params: byNote(kind),
          refuses: [412],
          response: { 204: NoContent },
        },
      },
      async (req) => {
        const found = await noteableOf(req, kind)
        await req.write(async (tx) => {
          const on = await lockNoteable(tx, req, found)
          await deleteNote(tx, req, on, { id: req.params.note_id })
        })
      },
    )
  }
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { paginate } from '#platform/http/pagination.ts'
import { NoContent } from '#platform/http/schema.ts'
import { invalid } from '#platform/refusals.ts'
import { noteableOf } from '#planning/noteables/find-noteable.ts'
import { guardsOf } from '#planning/noteables/guards.ts'
import { countAgainstNoteLimit } from '#planning/notes/note-limit.ts'
import { checkNote } from '#planning/spam/check-note.ts'
import { mergeRequestNoteable as kind } from '../noteable.ts'
import { ByMergeRequest } from '../parameters.ts'
import { placeOnMergeRequest } from '../threads/place-note.ts'
import { DraftNote, presentDraftNote } from './entity.ts'
import { ByDraftNote, DraftNoteChanges, NewDraftNote, Page } from './parameters.ts'
import { draftNoteOrder, draftNotesOf, findDraftNote, ownOn } from './queries.ts'
import { createDraftNote, deleteDraftNote, updateDraftNote } from './write-draft-note.ts'

const path = '/projects/:id/merge_requests/:merge_request_iid/draft_notes'

/** One's own draft notes on a merge request; publish-routes.ts publishes them. */
export const draftNoteRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const { reading, writing } = guardsOf(kind)

  app.get(
    path,
    {
      config: reading,
      schema: {
        summary: 'List your draft notes on a merge request',
        description: 'Nobody else sees them.',
        params: ByMergeRequest,
        querystring: Page,
        response: { 200: Type.Array(DraftNote) },
      },
    },
    async (req, reply) => {
      const own = ownOn(await noteableOf(req, kind), req)
      const rows = await paginate(req, reply, draftNotesOf(db, own), draftNoteOrder)
      return rows.map(presentDraftNote)
    },
  )

  app.get(
    `${path}/:draft_note_id`,
    {
      config: reading,
      schema: {
        summary: 'Get one of your draft notes on a merge request',
        params: ByDraftNote,
        response: { 200: DraftNote },
      },
    },
    async (req) => {
      const own = ownOn(await noteableOf(req, kind), req)
      return presentDraftNote(await findDraftNote(db, own, req.params.draft_note_id))
    },
  )

  app.post(
    path,
    {
      config: writing,
      schema: {
        summary: 'Write a draft note on a merge request',
        description:
          'Only you see it until you publish it. Counts against the limit of notes in a minute; publishing does not.',
        params: ByMergeRequest,
        body: NewDraftNote,
        checkedForSpam: true,
        response: { 201: DraftNote },
      },
    },
    async (req) => {
      await countAgainstNoteLimit(req)
      const { position, commit_id, ...draft } = req.body
      const found = await noteableOf(req, kind)
      await checkNote(req, draft.note)
      const placed = position && (await placeOnMergeRequest(req, found, position, commit_id))
      return req.write(async (tx) => {
        const id = await createDraftNote(tx, req, found, { ...draft, placed })
        return presentDraftNote(await findDraftNote(tx.db, ownOn(found, req), id))
      })
    },
  )

  app.put(
    `${path}/:draft_note_id`,
    {
      config: writing,
      schema: {
        summary: 'Change one of your draft notes on a merge request',
        params: ByDraftNote,
        body: DraftNoteChanges,
        checkedForSpam: true,
        response: { 200: DraftNote },
      },
    },
    async (req) => {
      const { draft_note_id: id } = req.params
      const { note, position } = req.body
      const found = await noteableOf(req, kind)
      const own = ownOn(found, req)
      const before = await findDraftNote(db, own, id)
      if (position !== undefined && before.discussion_id !== null)
        throw invalid({ position: ['is that of the discussion to which the draft note replies'] })
      await checkNote(req, note)
      const placed = position && (await placeOnMergeRequest(req, found, position, before.position?.commit_id))
      return req.write(async (tx) => {
        await updateDraftNote(tx, req, found, id, { note, placed })
        return presentDraftNote(await findDraftNote(tx.db, own, id))
      })
    },
  )

  app.delete(
    `${path}/:draft_note_id`,
    {
      config: writing,
      schema: {
        summary: 'Delete one of your draft notes on a merge request',
        params: ByDraftNote,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const own = ownOn(await noteableOf(req, kind), req)
      await req.write((tx) => deleteDraftNote(tx, own, req.params.draft_note_id))
    },
  )
}

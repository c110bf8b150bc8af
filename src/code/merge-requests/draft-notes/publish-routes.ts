import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { NoContent } from '#platform/http/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { actionsFor, noteableOf } from '#planning/noteables/find-noteable.ts'
import { guardsOf } from '#planning/noteables/guards.ts'
import { countAgainstNoteLimit } from '#planning/notes/note-limit.ts'
import { checkNote } from '#planning/spam/check-note.ts'
import { mergeRequestNoteable as kind } from '../noteable.ts'
import { ByMergeRequest } from '../parameters.ts'
import { MAX_DRAFT_NOTES } from './limits.ts'
import { ByDraftNote, Publication } from './parameters.ts'
import { prepareDraftNotes, publishDraftNotes, publishReview } from './publish-draft-notes.ts'
import { draftNotesOf, findDraftNote, ownOn } from './queries.ts'

const path = '/projects/:id/merge_requests/:merge_request_iid/draft_notes'

const what =
  'A draft note becomes a note as if you wrote it now, and its quick actions are applied. A reply resolves its discussion if ' +
  '`resolve_discussion` says so, or else opens it again, if you may. '

/** Publishing draft notes. */
export const publishingRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const { writing } = guardsOf(kind)

  app.put(
    `${path}/:draft_note_id/publish`,
    {
      config: writing,
      schema: {
        summary: 'Publish one of your draft notes on a merge request',
        description: `${what}409 when you change it at the same time.`,
        params: ByDraftNote,
        refuses: [409],
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const found = await noteableOf(req, kind)
      const draft = await findDraftNote(db, ownOn(found, req), req.params.draft_note_id)
      const prepared = await prepareDraftNotes(req, found, [draft])
      const published = await req.write((tx) => publishDraftNotes(tx, req, found, prepared))
      if (published === 0) throw notFound('Draft Note')
    },
  )

  app.post(
    `${path}/bulk_publish`,
    {
      config: writing,
      schema: {
        summary: 'Publish all your draft notes on a merge request',
        description: `${what}All are published, or with a refusal none. 409 when you change one at the same time.`,
        params: ByMergeRequest,
        body: Publication,
        refuses: [409],
        checkedForSpam: true,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const { note, reviewer_state } = req.body
      if (note !== undefined) await countAgainstNoteLimit(req)
      const found = await noteableOf(req, kind)
      await checkNote(req, note)
      const drafts = await draftNotesOf(db, ownOn(found, req))
        .orderBy('d.id')
        .limit(MAX_DRAFT_NOTES)
        .execute()
      if (drafts.length === 0 && note === undefined && reviewer_state === undefined) return
      const prepared = await prepareDraftNotes(req, found, drafts)
      const actions = note === undefined ? undefined : await actionsFor(req, found, note)
      await req.write((tx) => publishReview(tx, req, found, prepared, { ...req.body, actions }))
    },
  )
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import type { FastifyRequest } from 'fastify'
import { MAX_FILE_PATH } from '#code/repositories/limits.ts'
import { findCommit, requestedRepository } from '#code/repositories/requested.ts'
import { countAgainstNoteLimit } from '#planning/notes/note-limit.ts'
import { sendLong } from '#platform/http/long-rows.ts'
import { paginate } from '#platform/http/pagination.ts'
import { integer, MAX_INT4, oneOf, rules, text } from '#platform/http/schema.ts'
import {
  lockForComment,
  type Noteable,
  noteableOf,
  noteableToDiscuss,
} from '#planning/noteables/find-noteable.ts'
import { guardsOf } from '#planning/noteables/guards.ts'
import { listNotes, longNotes, noteOrder } from '#planning/notes/queries.ts'
import { submitNoteToThread } from '#planning/notes/submit-note.ts'
import { checkNote } from '#planning/spam/check-note.ts'
import { ByCommit } from '../by-commit.ts'
import { Page } from '../parameters.ts'
import { CommitComment, presentComment } from './comment-entity.ts'
import { commitNoteable as kind } from './noteable.ts'
import { positionAt } from './place-note.ts'

const NewComment = Type.Object(
  {
    note: text({ max: 1_000_000, filled: true }),
    path: Type.Optional(text({ max: MAX_FILE_PATH, description: 'A file of the diff.' })),
    line: Type.Optional(
      integer({ minimum: 1, maximum: MAX_INT4, description: 'A line that the diff adds or removes.' }),
    ),
    line_type: Type.Optional(
      oneOf(['new', 'old'], { description: '`new` for a line that was added, as by default.' }),
    ),
  },
  rules({ allOrNoneOf: ['path', 'line'] }),
)

/** Oldest first. */
const order = { ...noteOrder, sort: 'asc' } as const

/** Notes on commits in the older form, which also reads and writes those on lines of the diff. */
export const commentRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const { readingByAnybody, writing } = guardsOf(kind)
  const path = '/projects/:id/repository/commits/:sha/comments'

  app.get(
    path,
    {
      config: readingByAnybody,
      schema: {
        summary: 'List the comments on a commit',
        description: 'Oldest first, also those of discussions.',
        params: ByCommit,
        querystring: Page,
        response: { 200: Type.Array(CommitComment) },
      },
    },
    async (req, reply) => {
      const on = await noteableOf(req, kind)
      const rows = await paginate(req, reply, listNotes(on, req.query), order)
      const present = (some: readonly (typeof rows)[number][]) =>
        some.map((row) => presentComment(row, req.site))
      return sendLong(req, reply, { rows, ...longNotes(db, on) }, present)
    },
  )

  app.post(
    path,
    {
      config: writing,
      schema: {
        summary: 'Comment on a commit',
        description:
          'On a line that the diff does not add or remove, it becomes a comment on the commit as a whole. Counts against the limit of ' +
          'notes per minute.',
        params: ByCommit,
        body: NewComment,
        checkedForSpam: true,
        response: { 201: CommitComment },
      },
    },
    async (req) => {
      await countAgainstNoteLimit(req)
      const found = await noteableToDiscuss(req, kind)
      await checkNote(req, req.body.note)
      const placed = await placedAt(req, found, req.body)
      const written = await req.write(async (tx) => {
        const on = await lockForComment(tx, req, found, req.body.note)
        const thread = placed === undefined ? undefined : 'new'
        return submitNoteToThread(
          tx,
          req,
          on,
          { body: req.body.note, placed, actions: kind.quickActions },
          thread,
        )
      })
      if (written.kind !== 'note') throw new Error('Notes on commits have no quick actions')
      return presentComment(written.note, req.site)
    },
  )
}

async function placedAt(
  req: FastifyRequest,
  { key }: Noteable,
  { path, line, line_type = 'new' }: Static<typeof NewComment>,
) {
  if (path === undefined || line === undefined) return undefined
  const { repository, commit } = await findCommit(await requestedRepository(req), String(key))
  return positionAt(repository, commit, { path, line, line_type })
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden } from '#platform/refusals.ts'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { NoContent } from '#platform/http/schema.ts'
import { guardsOf } from '#planning/noteables/guards.ts'
import type { NoteableKey, NoteableKind } from '#planning/noteables/kind.ts'
import { noteableKinds } from '#planning/noteables/kinds.ts'
import { pathOf } from '#planning/noteables/identity.ts'
import { AwardEmoji, presentAward } from './entity.ts'
import { assertAwardable, findTarget } from './find-target.ts'
import { giveAward } from './give-award.ts'
import { AwardPages, byAward, byTarget, NewAward } from './parameters.ts'
import { awardOrder, awardsOn, findAward } from './queries.ts'
import { takeBackAward } from './take-back-award.ts'

/** Reactions to every kind of noteable, and to their notes. */
export const awardEmojiRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const kind of noteableKinds().map(asAwarded)) {
    if (kind.discussionsOnly) continue
    await app.register(awardRoutes(kind, false))
    await app.register(awardRoutes(kind, true))
  }
}

/** A kind whose noteables are named as paths of reactions name them. */
function asAwarded(kind: NoteableKind): NoteableKind {
  const { awards } = kind
  if (awards === undefined) return kind
  const { key, select } = awards
  return { ...kind, key, rows: { ...kind.rows, select } }
}

function awardRoutes(kind: NoteableKind, onNote: boolean): FastifyPluginAsyncTypebox {
  const { container, title, deprecated } = kind
  const what = onNote ? `a note on ${title}` : title
  const awards = `${pathOf(kind)}${onNote ? '/notes/:note_id' : ''}/award_emoji`
  const { readingByAnybody, awarding } = guardsOf(kind)
  const ByTarget = byTarget(kind, onNote)
  const ByAward = byAward(kind, onNote)

  /** The target that the path of a request names. */
  const target = (
    req: FastifyRequest & { readonly params: Readonly<Record<string, NoteableKey>> },
    db: Db | Tx['db'],
  ) => findTarget(db, req, kind, onNote ? Number(req.params['note_id']) : null)

  return async (app) => {
    const { db } = app

    app.get(
      awards,
      {
        config: readingByAnybody,
        schema: {
          summary: `List the reactions to ${what}`,
          deprecated,
          params: ByTarget,
          querystring: AwardPages,
          response: { 200: Type.Array(AwardEmoji) },
        },
      },
      async (req, reply) => {
        const on = await target(req, db)
        const rows = await paginate(req, reply, awardsOn(db, on), awardOrder)
        return rows.map((row) => presentAward(row, req.site))
      },
    )

    app.get(
      `${awards}/:award_id`,
      {
        config: readingByAnybody,
        schema: {
          summary: `Get a reaction to ${what}`,
          deprecated,
          params: ByAward,
          response: { 200: AwardEmoji },
        },
      },
      async (req) => {
        const on = await target(req, db)
        return presentAward(await findAward(db, on, req.params.award_id), req.site)
      },
    )

    app.post(
      awards,
      {
        config: awarding,
        schema: {
          summary: `React to ${what}`,
          deprecated,
          params: ByTarget,
          body: NewAward,
          response: { 201: AwardEmoji },
        },
      },
      async (req) => {
        const row = await req.write(async (tx) => {
          const on = await target(req, tx.db)
          assertAwardable(on, container.authorized(req))
          return findAward(tx.db, on, await giveAward(tx, on, req.body.name))
        })
        return presentAward(row, req.site)
      },
    )

    app.delete(
      `${awards}/:award_id`,
      {
        config: awarding,
        schema: {
          summary: `Remove a reaction from ${what}`,
          deprecated,
          description: 'Only the person who reacted, and administrators, can remove a reaction.',
          params: ByAward,
          refuses: [412],
          response: { 204: NoContent },
        },
      },
      async (req) => {
        await req.write(async (tx) => {
          const on = await target(req, tx.db)
          const row = await findAward(tx.db, on, req.params.award_id)
          if (row.user_id !== req.user().id && !req.viewer.admin) throw forbidden()
          assertUnmodified(req, row.updated_at)
          await takeBackAward(tx, on, row)
        })
      },
    )
  }
}

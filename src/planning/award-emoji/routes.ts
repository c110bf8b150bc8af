import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden } from '#platform/http/errors.ts'
import { paginate } from '#platform/http/pagination.ts'
import { demandUnmodified } from '#platform/http/preconditions.ts'
import { NoContent } from '#platform/http/schema.ts'
import { type BuiltKind, builtKinds } from '#planning/noteables/built.ts'
import { noteables, notesPath } from '#planning/noteables/noteables.ts'
import { AwardEmoji, presentAward } from './entity.ts'
import { demandAwardable, findTarget } from './find-target.ts'
import { giveAward } from './give-award.ts'
import { award, AwardPages, byTarget, NewAward } from './parameters.ts'
import { awardOrder, awardsOn, findAward } from './queries.ts'
import { takeBackAward } from './take-back-award.ts'

/** Reactions to every kind of noteable that there is, and to the notes on it. */
export const awardEmojiRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const kind of builtKinds) {
    await app.register(awardRoutes(kind, false))
    await app.register(awardRoutes(kind, true))
  }
}

function awardRoutes(kind: BuiltKind, onNote: boolean): FastifyPluginAsyncTypebox {
  const { container, segment, param, abilities, title } = noteables[kind]
  const what = onNote ? `a note on ${title}` : title
  const above = onNote ? `${notesPath(kind)}/:note_id` : `/${container}s/:id/${segment}/:${param}`
  const awards = `${above}/award_emoji` as const
  const ByTarget = Type.Object(byTarget(param, onNote))
  const ByAward = Type.Object({ ...byTarget(param, onNote), ...award })

  /** What the path of a request names. */
  const target = (req: FastifyRequest & { params: Record<string, unknown> }, db: Db | Tx['db']) =>
    findTarget(kind, db, req.viewer, req.project(), {
      number: Number(req.params[param]),
      note: onNote ? Number(req.params.note_id) : null,
    })

  return async (app) => {
    const { db } = app

    app.get(
      awards,
      {
        config: reads(project(abilities.read), { anonymous: true }),
        schema: {
          summary: `List the reactions to ${what}`,
          params: ByTarget,
          querystring: AwardPages,
          response: { 200: Type.Array(AwardEmoji) },
        },
      },
      async (req, reply) => {
        const on = await target(req, db)
        const rows = await paginate(req, reply, awardsOn(db, on.kind, on.id), awardOrder)
        return rows.map((row) => presentAward(row, req.site))
      },
    )

    app.get(
      `${awards}/:award_id`,
      {
        config: reads(project(abilities.read), { anonymous: true }),
        schema: { summary: `Get a reaction to ${what}`, params: ByAward, response: { 200: AwardEmoji } },
      },
      async (req) => {
        const on = await target(req, db)
        return presentAward(await findAward(db, on.kind, on.id, req.params.award_id), req.site)
      },
    )

    app.post(
      awards,
      {
        config: writes(project(abilities.award)),
        schema: {
          summary: `React to ${what}`,
          params: ByTarget,
          body: NewAward,
          response: { 201: AwardEmoji },
        },
      },
      async (req, reply) => {
        const row = await req.write(async (tx) => {
          const on = await target(req, tx.db)
          demandAwardable(on, req.project())
          return findAward(tx.db, on.kind, on.id, await giveAward(tx, on.kind, on, req.body.name))
        })
        return reply.code(201).send(presentAward(row, req.site))
      },
    )

    app.delete(
      `${awards}/:award_id`,
      {
        config: writes(project(abilities.award)),
        schema: {
          summary: `Remove a reaction from ${what}`,
          description: 'Only the person who reacted, and administrators, can remove a reaction.',
          params: ByAward,
          refuses: [412],
          response: { 204: NoContent },
        },
      },
      async (req, reply) => {
        await req.write(async (tx) => {
          const on = await target(req, tx.db)
          const row = await findAward(tx.db, on.kind, on.id, req.params.award_id)
          if (row.user_id !== req.user().id && !req.viewer.admin) throw forbidden()
          demandUnmodified(req, row.updated_at)
          await takeBackAward(tx, on.kind, on, row)
        })
        return reply.code(204).send()
      },
    )
  }
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { admin, reads, writes } from '#platform/access/route-access.ts'
import type { Db } from '#platform/db/pool.ts'
import { record } from '#platform/facts/record.ts'
import { notFound } from '#platform/refusals.ts'
import { type ListOrder, pageParameters } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { integer, NoContent } from '#platform/http/schema.ts'
import { userBasicJson } from '#identity/users/basic.ts'
import { deleteUser } from '#identity/users/delete-user.ts'
import { lockUser } from '#identity/users/queries.ts'
import { presentSpamLog, SpamLog } from './entity.ts'

const order: ListOrder = {
  of: 'SpamLog',
  id: 'l.id',
  columns: { id: { column: 'l.id' } },
  by: 'id',
  sort: 'desc',
}

const logs = (db: Db) =>
  db
    .selectFrom('spam_logs as l')
    .innerJoin('users as u', 'u.id', 'l.user_id')
    .where('u.deleted_at', 'is', null)
    .select(['l.id', 'l.source_ip', 'l.user_agent', 'l.noteable_type', 'l.title', 'l.description'])
    .select(['l.recaptcha_verified', 'l.created_at'])
    .select(userBasicJson('u').as('user'))

/** What was taken for spam, for administrators. */
export const spamLogRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/spam_logs',
    {
      config: reads(admin),
      schema: {
        summary: 'List what was taken for spam, newest first',
        querystring: Type.Object(pageParameters),
        response: { 200: Type.Array(SpamLog) },
      },
    },
    async (req, reply) => {
      const rows = await paginate(req, reply, logs(app.db), order)
      return rows.map((row) => presentSpamLog(row, req.site))
    },
  )

  app.delete(
    '/spam_logs/:id',
    {
      config: writes(admin),
      schema: {
        summary: 'Delete a spam log, on request with its author',
        params: Type.Object({ id: integer({ description: 'The id of a spam log.' }) }),
        querystring: Type.Object({
          remove_user: Type.Boolean({
            default: false,
            description: 'Whether to delete the author, with everything that they wrote.',
          }),
        }),
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await req.write(async (tx) => {
        const found = await tx.db
          .selectFrom('spam_logs')
          .select('user_id')
          .where('id', '=', req.params.id)
          .executeTakeFirstOrThrow(() => notFound('SpamLog'))
        const user = req.query.remove_user ? await lockUser(tx, found.user_id) : undefined
        const { numDeletedRows } = await tx.db
          .deleteFrom('spam_logs')
          .where('id', '=', req.params.id)
          .executeTakeFirst()
        if (numDeletedRows === 0n) throw notFound('SpamLog')
        record(tx, {
          name: 'spam log deleted',
          namespace: null,
          target: { type: 'SpamLog', id: req.params.id },
          details: { user_id: found.user_id },
        })
        if (user !== undefined) await deleteUser(tx, user, true)
      })
    },
  )
}

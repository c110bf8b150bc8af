import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { admin, writes } from '#platform/access/route-access.ts'
import { conflict } from '#platform/http/errors.ts'
import { Message, nullable } from '#platform/http/schema.ts'
import { sendOrNull } from '#platform/http/serializers.ts'
import { changeState } from './change-state.ts'
import { deleteUser } from './delete-user.ts'
import { ByUser } from './parameters.ts'
import { lockUser } from './queries.ts'

const verbs = {
  block: 'Block a user',
  unblock: 'Let a blocked user in again',
  ban: 'Ban a user',
  unban: 'Lift the ban of a user',
  activate: 'Activate a deactivated user',
  deactivate: 'Deactivate a user who was not active lately',
} as const

/** Whether accounts may be used: holds from the next request on. */
export const userStateRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const verb of ['block', 'unblock', 'ban', 'unban', 'activate', 'deactivate'] as const) {
    app.post(
      `/users/:id/${verb}`,
      {
        config: writes(admin),
        schema: {
          summary: verbs[verb],
          params: ByUser,
          response: {
            201: nullable(
              Type.Boolean({
                description: '`null` for blocking and `false` for unblocking again; else `true`.',
              }),
            ),
          },
        },
      },
      async (req, reply) => {
        const changed = await req.write(async (tx) =>
          changeState(tx, await lockUser(tx, req.params.id), verb),
        )
        return sendOrNull(reply.code(201), changed)
      },
    )
  }

  app.post(
    '/users/:id/approve',
    {
      config: writes(admin),
      schema: {
        summary: 'Let somebody in who has registered',
        params: ByUser,
        refuses: [409],
        response: { 201: Message },
      },
    },
    async (req, reply) => {
      await req.write(async (tx) => changeState(tx, await lockUser(tx, req.params.id), 'approve'))
      return reply.code(201).send({ message: 'Success' })
    },
  )

  app.post(
    '/users/:id/reject',
    {
      config: writes(admin),
      schema: {
        summary: 'Turn down somebody who has registered: the account is deleted',
        params: ByUser,
        refuses: [409],
        response: { 200: Message },
      },
    },
    async (req) => {
      await req.write(async (tx) => {
        const user = await lockUser(tx, req.params.id)
        if (user.state !== 'blocked_pending_approval') throw conflict('User does not have a pending request')
        await deleteUser(tx, user, true)
      })
      return { message: 'Success' }
    },
  )
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { admin, writes } from '#platform/access/route-access.ts'
import { conflict } from '#platform/refusals.ts'
import { Message, nullable } from '#platform/http/schema.ts'
import { sendOrNull } from '#platform/http/serializers.ts'
import { changeState } from './change-state.ts'
import { deleteUser } from './delete-user.ts'
import { ByUser } from './parameters.ts'
import { lockUser } from './queries.ts'

const verbs = {
  block: 'Block a user',
  unblock: 'Unblock a user',
  ban: 'Ban a user',
  unban: 'Unban a user',
  activate: 'Activate a deactivated user',
  deactivate: 'Deactivate an inactive user',
} as const

/** Whether accounts may be used; changes apply from the next request on. */
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
                description:
                  '`true`, except: `null` for blocking a blocked user, `false` for unblocking an active one.',
              }),
            ),
          },
        },
      },
      async (req, reply) => {
        const changed = await req.write(async (tx) =>
          changeState(tx, await lockUser(tx, req.params.id), verb),
        )
        return sendOrNull(reply, changed)
      },
    )
  }

  app.post(
    '/users/:id/approve',
    {
      config: writes(admin),
      schema: {
        summary: 'Approve a user who has registered',
        params: ByUser,
        refuses: [409],
        response: { 201: Message },
      },
    },
    async (req) => {
      await req.write(async (tx) => changeState(tx, await lockUser(tx, req.params.id), 'approve'))
      return { message: 'Success' }
    },
  )

  app.post(
    '/users/:id/reject',
    {
      config: writes(admin),
      schema: {
        summary: 'Reject a user who has registered, and delete the account',
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

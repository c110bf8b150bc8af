import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { anyone, writes } from '#platform/access/route-access.ts'
import { UserOfMine } from './entity.ts'
import { OwnChangesParameters } from './parameters.ts'
import { presentUserSelf } from './present.ts'
import { findUser, lockUser } from './queries.ts'
import { updateUser } from './update-user.ts'

/** What people tell about themselves. */
export const ownProfileRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.put(
    '/user',
    {
      config: writes(anyone),
      schema: {
        summary: 'Change what the current user tells about themselves',
        description: 'An addition of Forgelet.',
        body: OwnChangesParameters,
        response: { 200: UserOfMine },
      },
    },
    (req) =>
      req.write(async (tx) => {
        const { id } = req.user()
        await updateUser(tx, await lockUser(tx, id), req.body)
        return presentUserSelf(await findUser(tx.db, id), req.site)
      }),
  )
}

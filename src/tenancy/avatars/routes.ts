import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { projectsAndGroups } from '#platform/access/projects-and-groups.ts'
import { anyone, reads, writes } from '#platform/access/route-access.ts'
import { ById, entity, file, integer, nullable, pictureAnswers, text } from '#platform/http/schema.ts'
import { assertUserPage } from '#identity/users/policy.ts'
import { findUserByPublicEmail, lockUser } from '#identity/users/queries.ts'
import { updateUser } from '#identity/users/update-user.ts'
import { avatarUrl } from '#identity/avatars/avatar-url.ts'
import { MAX_AVATAR } from '#identity/avatars/read-avatar.ts'
import { sendAvatar } from './send-avatar.ts'
import { withStoredAvatar } from '#identity/avatars/store-avatar.ts'

const AvatarUrl = entity('AvatarUrl', { avatar_url: nullable(Type.String()) })

/**
 * Avatars through the API. Avatars of topics, groups, projects and users are set together with their other attributes.
 */
export const avatarRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  for (const { kind, seen, open } of projectsAndGroups) {
    app.route({
      method: ['GET', 'HEAD'],
      url: `/${kind}s/:id/avatar`,
      config: reads(seen, { anonymous: true }),
      schema: { summary: `Get the avatar of a ${kind}`, params: ById, response: pictureAnswers },
      handler: (req, reply) => sendAvatar(req, reply, open(req).container.avatar),
    })
  }

  app.put(
    '/user/avatar',
    {
      config: writes(anyone),
      schema: {
        summary: 'Set the avatar of the current user',
        body: Type.Object({
          avatar: nullable(file({ max: MAX_AVATAR, description: 'A blank value removes it.' })),
        }),
        response: { 200: AvatarUrl },
      },
    },
    async (req) => {
      const { id } = req.user()
      const { avatar = null } = await withStoredAvatar(services, req.body)
      await req.write(async (tx) => updateUser(tx, await lockUser(tx, id), { avatar }))
      return { avatar_url: avatarUrl(req.site, 'user', id, avatar) }
    },
  )

  app.get(
    '/avatar',
    {
      config: reads(anyone, { anonymous: true }),
      schema: {
        summary: "Find a user's avatar by a public e-mail address",
        querystring: Type.Object({
          email: text({ filled: true }),
          size: Type.Optional(integer({ description: 'Has no effect: avatars have one size.' })),
        }),
        response: { 200: AvatarUrl },
      },
    },
    async (req) => {
      assertUserPage(req.viewer, services.settings())
      const user = await findUserByPublicEmail(db, req.query.email)
      return { avatar_url: user && avatarUrl(req.site, 'user', user.id, user.avatar) }
    },
  )
}

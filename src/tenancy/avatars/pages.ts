import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { anyone, group, project, reads } from '#platform/access/route-access.ts'
import { ById, integer, pictureAnswers as response } from '#platform/http/schema.ts'
import { findTopic } from '#tenancy/topics/queries.ts'
import { assertUserPage } from '#identity/users/policy.ts'
import { findUser } from '#identity/users/queries.ts'
import { avatarPath } from '#identity/avatars/avatar-url.ts'
import { sendAvatar } from './send-avatar.ts'

const ByNumber = Type.Object({ id: integer() })
const method = ['GET', 'HEAD']

/**
 * Serves the avatars at their `avatar_url`. Avatars of projects and groups are for callers who may see the project or
 * group, by a token or a browser session.
 */
export const avatarPages: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  app.route({
    method,
    url: avatarPath('project', ':id'),
    config: reads(project('read_project'), { anonymous: true }),
    schema: { summary: 'Get the avatar of a project', params: ById, response },
    handler: (req, reply) => sendAvatar(req, reply, req.project().container.avatar),
  })

  app.route({
    method,
    url: avatarPath('group', ':id'),
    config: reads(group('read_group'), { anonymous: true }),
    schema: { summary: 'Get the avatar of a group', params: ById, response },
    handler: (req, reply) => sendAvatar(req, reply, req.group().container.avatar),
  })

  app.route({
    method,
    url: avatarPath('user', ':id'),
    config: reads(anyone, { anonymous: true, scopes: [] }),
    schema: { summary: 'Get the avatar of a user', params: ByNumber, response },
    handler: async (req, reply) => {
      assertUserPage(req.viewer, services.settings())
      return sendAvatar(req, reply, (await findUser(db, req.params.id)).avatar)
    },
  })

  app.route({
    method,
    url: avatarPath('topic', ':id'),
    config: reads(anyone, { anonymous: true, scopes: [] }),
    schema: { summary: 'Get the avatar of a topic', params: ByNumber, response },
    handler: async (req, reply) =>
      sendAvatar(req, reply, (await findTopic(db, req.viewer, req.params.id)).avatar),
  })
}

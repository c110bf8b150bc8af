import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { group, project, reads } from '#platform/access/route-access.ts'
import { ById } from '#platform/http/schema.ts'
import { AbilityNames } from './entity.ts'
import { groupAbilities, projectAbilities } from './names.ts'

const DESCRIPTION =
  'By role, visibility and state, as each route asks for one of them. People may do more with what is their own. An addition of Forgelet.'

/** The abilities that the caller has in a project or group. Pages offer what these allow. */
export const abilityRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/projects/:id/abilities',
    {
      config: reads(project('read_project'), { anonymous: true }),
      schema: {
        summary: 'List what you may do in a project',
        description: DESCRIPTION,
        params: ById,
        response: { 200: AbilityNames },
      },
    },
    (req) => projectAbilities(req.project().accessContext),
  )

  app.get(
    '/groups/:id/abilities',
    {
      config: reads(group('read_group'), { anonymous: true }),
      schema: {
        summary: 'List what you may do in a group',
        description: DESCRIPTION,
        params: ById,
        response: { 200: AbilityNames },
      },
    },
    (req) => groupAbilities(req.group().accessContext),
  )
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { MAX_PATH, text } from '#platform/http/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { UserListed } from '#identity/users/entity.ts'
import { groupDetailEntity } from '#tenancy/groups/entity.ts'
import { CONSOLE, GROUP } from '../frame/addresses.ts'
import { Api, path } from '../frame/api.ts'
import { groupOf, OfGroup } from '../frame/group.ts'
import { show } from '../frame/show.ts'
import { groupPage } from './group-page.ts'
import { projectHome } from './home.ts'
import { findProject } from '../frame/project.ts'
import { userPage } from './user-page.ts'

const ByName = Type.Object({ name: text({ max: MAX_PATH }) })

/** Pages of what a path alone names: `/group/project`, `/group`, `/username`. */
export const placePages: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)

  app.get(
    `${CONSOLE}/named/:name`,
    { config: page('anyone'), schema: { params: ByName } },
    async (req, reply) => {
      const { name } = req.params
      const api = new Api(req)
      const isNested = name.includes('/')
      const [project, group, people] = await Promise.all([
        isNested ? findProject(api, req, name) : undefined,
        api.find(groupDetailEntity(), path`/groups/${name}`, { with_projects: false }),
        isNested ? undefined : api.list(UserListed, '/users', { username: name }),
      ])
      if (project !== undefined) return show(req, reply, await projectHome(api, project))
      if (group !== undefined) return show(req, reply, await groupPage(api, group))
      const person = people?.items[0]
      // As links of GitLab lead to the settings of a project.
      const [, edited] = /^(.+\/.+)\/edit$/s.exec(name) ?? []
      if (edited !== undefined) return reply.redirect(`/${edited}/-/settings/general`, 302)
      if (person === undefined) throw notFound()
      return show(req, reply, await userPage(api, person))
    },
  )

  app.get(GROUP, { config: page('anyone'), schema: { params: Type.Object(OfGroup) } }, async (req, reply) => {
    const api = new Api(req)
    const group = await groupOf(api, req, req.params.group)
    return show(req, reply, await groupPage(api, group))
  })
}

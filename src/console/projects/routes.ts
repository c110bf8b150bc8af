import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { seeOther } from '#platform/http/browser-sessions.ts'
import { MAX_PATH, text } from '#platform/http/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { UserListed } from '#identity/users/entity.ts'
import { groupDetailEntity } from '#tenancy/groups/entity.ts'
import { CONSOLE, GROUP } from '../frame/addresses.ts'
import { Api, path } from '../frame/api.ts'
import { groupOf, OfGroup } from '../frame/group.ts'
import { formPage } from '../frame/form-page.ts'
import { show } from '../frame/show.ts'
import { groupPage, GroupParts } from './group-page.ts'
import { projectHome } from './home.ts'
import { findProject } from '../frame/project.ts'
import { starActions } from './stars.ts'
import { userPage, UserParts } from './user-page.ts'

const ByName = Type.Object({ name: text({ max: MAX_PATH }) })

/** Pages of what a path alone names: `/group/project`, `/group`, `/username`. */
export const placePages: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)

  formPage(app, `${CONSOLE}/named/:name`, {
    params: ByName,
    querystring: Type.Object({ ...GroupParts.properties, ...UserParts.properties }),
    async show({ request, api, params: { name }, query, forms }) {
      const isNested = name.includes('/')
      const project = isNested ? await findProject(api, request, name) : undefined
      if (project !== undefined)
        return projectHome(api, project, { forms, me: request.identity?.user, site: request.site })
      const [group, people] = await Promise.all([
        api.find(groupDetailEntity(), path`/groups/${name}`, { with_projects: false }),
        isNested ? undefined : api.list(UserListed, '/users', { username: name }),
      ])
      if (group !== undefined) return groupPage(api, group, { site: request.site, parts: query })
      const person = people?.items[0]
      // As links of GitLab lead to the settings of a project.
      const [, edited] = /^(.+\/.+)\/edit$/s.exec(name) ?? []
      if (edited !== undefined) throw seeOther(`/${edited}/-/settings/general`)
      if (person === undefined) throw notFound()
      return userPage(api, person, { me: request.identity?.user.id, parts: query })
    },
    async actions({ request, api, params: { name } }) {
      const project = name.includes('/') ? await findProject(api, request, name) : undefined
      if (project === undefined) throw notFound()
      return starActions(project)
    },
  })

  app.get(
    GROUP,
    { config: page('anyone'), schema: { params: Type.Object(OfGroup), querystring: GroupParts } },
    async (req, reply) => {
      const api = new Api(req)
      const group = await groupOf(api, req, req.params.group)
      return show(req, reply, await groupPage(api, group, { site: req.site, parts: req.query }))
    },
  )
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { Issue } from '#planning/issues/entity.ts'
import { GROUP, PROJECT } from '../frame/addresses.ts'
import { Api, path } from '../frame/api.ts'
import { groupHeader, groupOf, groupPageOf, OfGroup } from '../frame/group.ts'
import { pathIn } from '../frame/lists.ts'
import { show } from '../frame/show.ts'
import { IssueFilter, issueStates, itemList } from '../items/item-list.ts'
import { itemRow } from '../items/row.ts'
import { rightsIn } from '../frame/rights.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'

/** Issues of projects and groups: the lists, and each with what people say of it. */
export const issueRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)

  app.get(
    `${PROJECT}/issues`,
    { config: page('anyone'), schema: { params: Type.Object(OfProject), querystring: IssueFilter } },
    async (req, reply) => {
      const api = new Api(req)
      const found = await projectOf(api, req, req.params.project)
      const rights = await rightsIn(api, path`/projects/${found.id}`)
      const body = await itemList(
        api,
        {
          title: 'Issues',
          here: pageOf(found, 'issues'),
          api: path`/projects/${found.id}/issues`,
          item: Issue,
          states: issueStates,
          row: (issue) => itemRow(issue, `#${issue.iid}`, pageOf(found, `issues/${issue.iid}`)),
          none: 'There is no issue here. The first one says what is to be done.',
          make: rights.may('create_issue')
            ? { title: 'New issue', address: pageOf(found, 'issues/new') }
            : undefined,
        },
        req.query,
      )
      return show(req, reply, {
        title: `Issues · ${found.name_with_namespace}`,
        feed: `${pageOf(found, 'issues')}.atom`,
        body,
        place: projectHeader(found, 'Issues'),
      })
    },
  )

  app.get(
    `${GROUP}/issues`,
    { config: page('anyone'), schema: { params: Type.Object(OfGroup), querystring: IssueFilter } },
    async (req, reply) => {
      const api = new Api(req)
      const group = await groupOf(api, req, req.params.group)
      const body = await itemList(
        api,
        {
          title: 'Issues',
          here: groupPageOf(group, 'issues'),
          api: path`/groups/${group.id}/issues`,
          item: Issue,
          states: issueStates,
          row: (issue) => itemRow(issue, issue.references.full, pathIn(issue.web_url)),
          none: 'There is no issue in the projects of this group.',
        },
        req.query,
      )
      const title = `Issues · ${group.full_name}`
      return show(req, reply, { title, body, place: groupHeader(group, 'Issues') })
    },
  )
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { integer } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { Issue } from '#planning/issues/entity.ts'
import { PROJECT } from '../frame/addresses.ts'
import { Api } from '../frame/api.ts'
import { ByContainer, projectsAndGroups } from '../frame/container.ts'
import { pageNumber, pathIn } from '../frame/lists.ts'
import { show } from '../frame/show.ts'
import { IssueFilter, issueStates, itemList } from '../items/item-list.ts'
import { itemRow } from '../items/row.ts'
import { OfProject, projectOf } from '../frame/project.ts'
import { issuePage } from './issue-page.ts'

/** Issues of projects and groups: the lists, and each with what people say of it. */
export const issueRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)

  for (const { at, open } of projectsAndGroups)
    app.get(
      `${at}/issues`,
      { config: page('anyone'), schema: { params: ByContainer, querystring: IssueFilter } },
      async (req, reply) => {
        const api = new Api(req)
        const container = await open(api, req, req.params.container)
        const here = container.page('issues')
        const list = {
          title: 'Issues',
          here,
          api: `${container.api}/issues`,
          item: Issue,
          states: issueStates,
          row: (issue: Static<typeof Issue>) =>
            itemRow(issue, issue.references[container.reference], pathIn(issue.web_url)),
          none:
            container.kind === 'project'
              ? 'There is no issue here. The first one says what is to be done.'
              : 'There is no issue in the projects of this group.',
        }
        return show(req, reply, {
          title: `Issues · ${container.title}`,
          ...(container.kind === 'project' && { feed: `${here}.atom` }),
          body: await itemList(api, list, req.query),
          place: container.header('Issues'),
        })
      },
    )

  app.get(
    `${PROJECT}/issues/:iid`,
    {
      config: page('anyone'),
      schema: {
        params: Type.Object({ ...OfProject, iid: integer({ minimum: 1 }) }),
        querystring: Type.Object({ page: pageNumber }),
      },
    },
    async (req, reply) => {
      const api = new Api(req)
      const found = await projectOf(api, req, req.params.project)
      return show(req, reply, await issuePage(api, found, req.params.iid, req.query.page))
    },
  )
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from 'typebox'
import { page } from '#platform/access/route-access.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { Issue } from '#planning/issues/entity.ts'
import { Api } from '../frame/api.ts'
import { ByContainer, projectsAndGroups } from '../frame/container.ts'
import { pathIn } from '../frame/lists.ts'
import { rightsIn } from '../frame/rights.ts'
import { show } from '../frame/show.ts'
import { IssueFilter, issueStates, itemList } from '../items/item-list.ts'
import { itemRow } from '../items/row.ts'

/** Lists of issues of projects and groups. */
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
        const rights = await rightsIn(api, container.api)
        const list = {
          title: 'Issues',
          here,
          api: `${container.api}/issues`,
          item: Issue,
          states: issueStates,
          row: (issue: Static<typeof Issue>) =>
            itemRow(issue, issue.references[container.reference], pathIn(issue.web_url)),
          make:
            container.kind === 'project' && rights.may('create_issue')
              ? { title: 'New issue', address: `${here}/new` }
              : undefined,
          several:
            container.kind === 'project' && rights.may('admin_issue') ? `${here}/bulk_update` : undefined,
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
}

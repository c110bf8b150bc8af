import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { ListedMergeRequest } from '#code/merge-requests/list/entity.ts'
import { page } from '#platform/access/route-access.ts'
import { integer } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { PROJECT } from '../frame/addresses.ts'
import { Api } from '../frame/api.ts'
import { ByContainer, projectsAndGroups } from '../frame/container.ts'
import { pageNumber, pathIn } from '../frame/lists.ts'
import { show } from '../frame/show.ts'
import { itemList, MergeRequestFilter, mergeRequestStates } from '../items/item-list.ts'
import { itemRow } from '../items/row.ts'
import { OfProject, projectOf } from '../frame/project.ts'
import { DiffQuery } from '../repository/diffs.ts'
import { mergeRequestPage, type Tab, tabs } from './merge-request-page.ts'

const ByIid = Type.Object({ ...OfProject, iid: integer({ minimum: 1 }) })
const Paged = Type.Object({ page: pageNumber, ...DiffQuery })

/** Merge requests: the list, and each with what people say of it, its commits and what it changes. */
export const mergeRequestRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const config = page('anyone')

  for (const { at, open } of projectsAndGroups)
    app.get(
      `${at}/merge_requests`,
      { config, schema: { params: ByContainer, querystring: MergeRequestFilter } },
      async (req, reply) => {
        const api = new Api(req)
        const container = await open(api, req, req.params.container)
        const list = {
          title: 'Merge requests',
          here: container.page('merge_requests'),
          api: `${container.api}/merge_requests`,
          item: ListedMergeRequest,
          states: mergeRequestStates,
          row: (one: Static<typeof ListedMergeRequest>) =>
            itemRow(one, one.references?.[container.reference] ?? `!${one.iid}`, pathIn(one.web_url)),
          none:
            container.kind === 'project'
              ? 'There is no merge request here. Push a branch, and ask for it to be merged.'
              : 'There is no merge request in the projects of this group.',
        }
        return show(req, reply, {
          title: `Merge requests · ${container.title}`,
          body: await itemList(api, list, req.query),
          place: container.header('Merge requests'),
        })
      },
    )

  for (const tab of Object.keys(tabs).filter((name): name is Tab => name in tabs))
    app.get(
      `${PROJECT}/merge_requests/:iid${tabs[tab]}`,
      { config, schema: { params: ByIid, querystring: Paged } },
      async (req, reply) => {
        const api = new Api(req)
        const project = await projectOf(api, req, req.params.project)
        const view = await mergeRequestPage(api, project, { iid: req.params.iid, tab, ...req.query })
        return show(req, reply, view)
      },
    )
}

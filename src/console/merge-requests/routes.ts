import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from 'typebox'
import { ListedMergeRequest } from '#code/merge-requests/list/entity.ts'
import { page } from '#platform/access/route-access.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { Api } from '../frame/api.ts'
import { ByContainer, projectsAndGroups } from '../frame/container.ts'
import { pathIn } from '../frame/lists.ts'
import { rightsIn } from '../frame/rights.ts'
import { show } from '../frame/show.ts'
import { itemList, MergeRequestFilter, mergeRequestStates } from '../items/item-list.ts'
import { itemRow } from '../items/row.ts'

/** Lists of merge requests of projects and groups. */
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
        const rights = await rightsIn(api, container.api)
        const list = {
          title: 'Merge requests',
          here: container.page('merge_requests'),
          api: `${container.api}/merge_requests`,
          item: ListedMergeRequest,
          states: mergeRequestStates,
          row: (one: Static<typeof ListedMergeRequest>) =>
            itemRow(one, one.references?.[container.reference] ?? `!${one.iid}`, pathIn(one.web_url)),
          make:
            container.kind === 'project' && rights.may('create_merge_request')
              ? { title: 'New merge request', address: container.page('merge_requests/new') }
              : undefined,
          several:
            container.kind === 'project' && rights.may('admin_merge_request')
              ? container.page('merge_requests/bulk_update')
              : undefined,
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
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ListedMergeRequest } from '#code/merge-requests/list/entity.ts'
import { page } from '#platform/access/route-access.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { GROUP, PROJECT } from '../frame/addresses.ts'
import { Api, path } from '../frame/api.ts'
import { groupHeader, groupOf, groupPageOf, OfGroup } from '../frame/group.ts'
import { pathIn } from '../frame/lists.ts'
import { show } from '../frame/show.ts'
import { itemList, MergeRequestFilter, mergeRequestStates } from '../items/item-list.ts'
import { itemRow } from '../items/row.ts'
import { rightsIn } from '../frame/rights.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'

/** Lists of merge requests. */
export const mergeRequestRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const config = page('anyone')

  app.get(
    `${PROJECT}/merge_requests`,
    { config, schema: { params: Type.Object(OfProject), querystring: MergeRequestFilter } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      const rights = await rightsIn(api, path`/projects/${project.id}`)
      const body = await itemList(
        api,
        {
          title: 'Merge requests',
          here: pageOf(project, 'merge_requests'),
          api: path`/projects/${project.id}/merge_requests`,
          item: ListedMergeRequest,
          states: mergeRequestStates,
          row: (one) => itemRow(one, `!${one.iid}`, pageOf(project, `merge_requests/${one.iid}`)),
          none: 'There is no merge request here. Push a branch, and ask for it to be merged.',
          make: rights.may('create_merge_request')
            ? { title: 'New merge request', address: pageOf(project, 'merge_requests/new') }
            : undefined,
        },
        req.query,
      )
      return show(req, reply, {
        title: `Merge requests · ${project.name_with_namespace}`,
        body,
        place: projectHeader(project, 'Merge requests'),
      })
    },
  )

  app.get(
    `${GROUP}/merge_requests`,
    { config, schema: { params: Type.Object(OfGroup), querystring: MergeRequestFilter } },
    async (req, reply) => {
      const api = new Api(req)
      const group = await groupOf(api, req, req.params.group)
      const body = await itemList(
        api,
        {
          title: 'Merge requests',
          here: groupPageOf(group, 'merge_requests'),
          api: path`/groups/${group.id}/merge_requests`,
          item: ListedMergeRequest,
          states: mergeRequestStates,
          row: (one) => itemRow(one, one.references?.full ?? `!${one.iid}`, pathIn(one.web_url)),
          none: 'There is no merge request in the projects of this group.',
        },
        req.query,
      )
      const title = `Merge requests · ${group.full_name}`
      return show(req, reply, { title, body, place: groupHeader(group, 'Merge requests') })
    },
  )
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { MergeRequestSingle } from '#code/merge-requests/entity.ts'
import { ListedMergeRequest } from '#code/merge-requests/list/entity.ts'
import { mergeRequestNoteable } from '#code/merge-requests/noteable.ts'
import { html } from '#platform/http/html.ts'
import { notFound } from '#platform/refusals.ts'
import { integer, text } from '#platform/http/schema.ts'
import { PROJECT } from '../frame/addresses.ts'
import { asks, makes } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import { formPage } from '../frame/form-page.ts'
import { addressOf, pathIn } from '../frame/lists.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'
import { rightsIn } from '../frame/rights.ts'
import { MergeRequestFilter } from '../items/item-list.ts'
import { planningFields } from '../items/planning-fields.ts'
import { followActions } from '../items/following.ts'
import { severalPage } from '../items/several.ts'
import { talkActions } from '../items/talk.ts'
import { ticks } from '../items/tasks.ts'
import { timeActions } from '../items/time.ts'
import { DiffQuery } from '../repository/diffs.ts'
import { editFields } from './edit-fields.ts'
import { mergingActions } from './merging-actions.ts'
import { mayChange } from './may.ts'
import { mergeRequestPage } from './merge-request-page.ts'
import { MergeRequestQuery, type Tab, tabs } from './merge-request-visit.ts'
import { chooseBranches, newMergeRequest } from './new-merge-request.ts'
import { reviewActions } from './review-actions.ts'
import { suggestionActions } from './suggestions.ts'

const ByIid = Type.Object({ ...OfProject, iid: integer({ minimum: 1 }) })
const word = Type.Optional(text({ max: 255 }))

const Filled = Type.Object({
  ...DiffQuery,
  issuable_template: word,
  merge_request: Type.Optional(
    Type.Object({
      source_branch: word,
      target_branch: word,
      target_project_id: Type.Optional(integer({ minimum: 1 })),
      title: word,
      description: Type.Optional(text({ max: 10_000 })),
    }),
  ),
})

/** Merge requests: each with its parts, and the forms that open, change and merge one. */
export const mergeRequestFormRoutes: FastifyPluginAsyncTypebox = async (app) => {
  severalPage(app, {
    one: 'merge request',
    at: 'merge_requests',
    area: 'Merge requests',
    sign: '!',
    filter: MergeRequestFilter,
    ability: 'admin_merge_request',
    list: (asked, address, query) => asked.list(ListedMergeRequest, address, query),
  })

  formPage(app, `${PROJECT}/merge_requests/new`, {
    who: 'signed in',
    params: Type.Object(OfProject),
    querystring: Filled,
    async show({ request, api, params, query, forms }) {
      const project = await projectOf(api, request, params.project)
      const proposed = query.merge_request ?? {}
      const { source_branch, target_branch } = proposed
      const source = project.forked_from_project
      const targets = source === undefined ? [project] : [source, project]
      const body =
        source_branch === undefined || target_branch === undefined
          ? await chooseBranches(api, project, targets, proposed)
          : await newMergeRequest(api, forms, project, {
              ...proposed,
              source_branch,
              target_branch,
              rights: await rightsIn(api, path`/projects/${project.id}`),
              template: query.issuable_template,
              view: query,
            })
      return {
        title: `New merge request · ${project.name_with_namespace}`,
        place: projectHeader(project, 'Merge requests'),
        body: html`<h1>New merge request</h1>
          ${body}`,
      }
    },
    async actions({ request, api, params }) {
      const project = await projectOf(api, request, params.project)
      const open = {
        method: 'POST',
        path: path`/projects/${project.id}/merge_requests`,
        says: 'The merge request is open.',
      } as const
      return { open: () => makes(MergeRequestSingle, open, ({ web_url }) => pathIn(web_url)) }
    },
  })

  for (const tab of Object.keys(tabs).filter((name): name is Tab => name in tabs))
    formPage(app, `${PROJECT}/merge_requests/:iid${tabs[tab]}`, {
      params: ByIid,
      querystring: MergeRequestQuery,
      async show(visit) {
        const project = await projectOf(visit.api, visit.request, visit.params.project)
        return mergeRequestPage(visit, project, { iid: visit.params.iid, tab })
      },
      async actions({ request, api, params: { project: named, iid }, query }) {
        const project = await projectOf(api, request, named)
        const address = path`/projects/${project.id}/merge_requests/${iid}`
        const here = pageOf(project, `merge_requests/${iid}`)
        const { page, view, file, note } = query
        const changes = addressOf(`${here}${tabs.Changes}`, { view, file })
        return {
          ...talkActions(
            request.identity?.user.id,
            mergeRequestNoteable,
            address,
            tab === 'Changes' ? { here: changes, page, note } : { here, page },
          ),
          ...followActions(address),
          ...timeActions(address),
          tick: () =>
            ticks(
              MergeRequestSingle,
              { path: address, parameter: 'description', to: here },
              ({ description, updated_at }) => ({ text: description, updated_at }),
            ),
          ...mergingActions(project, address),
          ...reviewActions(address, { here: changes, page }),
          ...suggestionActions,
        }
      },
    })

  formPage(app, `${PROJECT}/merge_requests/:iid/edit`, {
    who: 'signed in',
    params: ByIid,
    querystring: Type.Object({}),
    async show({ request, api, params, forms }) {
      const project = await projectOf(api, request, params.project)
      const address = path`/projects/${project.id}`
      const [one, rights] = await Promise.all([
        api.get(MergeRequestSingle, `${address}${path`/merge_requests/${params.iid}`}`),
        rightsIn(api, address),
      ])
      if (!mayChange(rights, one, request.identity?.user.id)) throw notFound()
      const planning = rights.may('admin_merge_request') ? await planningFields(api, address, one) : []
      return {
        title: `Change ${one.title} (!${one.iid}) · ${project.name_with_namespace}`,
        place: projectHeader(project, 'Merge requests'),
        body: html`<h1>Change <span class="quiet">!${one.iid}</span></h1>
          ${forms.write({ does: 'save', submit: 'Save', changes: true, fields: editFields(one, planning), updatedAt: one.updated_at })}
          ${
            rights.may('delete_merge_request') &&
            forms.write({
              does: 'delete',
              submit: 'Delete',
              about: 'the merge request',
              asks: 'The merge request and all that was said of it go for good. Its branches stay.',
            })
          }`,
      }
    },
    async actions({ request, api, params }) {
      const project = await projectOf(api, request, params.project)
      const address = path`/projects/${project.id}/merge_requests/${params.iid}`
      const one = pageOf(project, `merge_requests/${params.iid}`)
      return {
        save: () => asks({ method: 'PUT', path: address, says: 'The merge request is changed.', to: one }),
        delete: () =>
          asks({
            method: 'DELETE',
            path: address,
            says: 'The merge request is deleted.',
            to: pageOf(project, 'merge_requests'),
          }),
      }
    },
  })
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { ListedMergeRequest } from '#code/merge-requests/list/entity.ts'
import { page } from '#platform/access/route-access.ts'
import { html } from '#platform/http/html.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { Issue } from '#planning/issues/entity.ts'
import { todoEntity } from '#planning/todos/entity.ts'
import { Api } from '../frame/api.ts'
import { listOf } from '../frame/list-page.ts'
import { pageNumber, pathIn } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { person } from '../frame/people.ts'
import { show } from '../frame/show.ts'
import {
  IssueFilter,
  issueStates,
  itemList,
  MergeRequestFilter,
  mergeRequestStates,
} from '../items/item-list.ts'
import { itemRow } from '../items/row.ts'

const Paged = Type.Object({ page: pageNumber })

/** Merge requests that wait for somebody. */
const requests = [
  {
    here: '/dashboard/merge_requests',
    title: 'Merge requests for you',
    scope: 'assigned_to_me',
    none: 'No open merge request is assigned to you.',
  },
  {
    here: '/dashboard/reviews',
    title: 'Reviews for you',
    scope: 'reviews_for_me',
    none: 'No open merge request waits for your review.',
  },
] as const

/** Issues and merge requests of one's own, and to-dos. */
export const dashboardRoutes: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  const options = { config: page('signed in'), schema: { querystring: Paged } }

  app.get(
    '/dashboard/issues',
    { config: page('signed in'), schema: { querystring: IssueFilter } },
    async (req, reply) => {
      const title = 'Issues for you'
      const list = {
        title,
        here: '/dashboard/issues',
        api: '/issues',
        query: { scope: 'assigned_to_me' },
        item: Issue,
        states: issueStates,
        row: (one: Static<typeof Issue>) => itemRow(one, one.references.full, pathIn(one.web_url)),
        none: 'No open issue is assigned to you.',
      }
      return show(req, reply, { title, body: await itemList(new Api(req), list, req.query) })
    },
  )

  for (const { here, title, scope, none } of requests)
    app.get(
      here,
      { config: page('signed in'), schema: { querystring: MergeRequestFilter } },
      async (req, reply) => {
        const list = {
          title,
          here,
          api: '/merge_requests',
          query: { scope },
          item: ListedMergeRequest,
          states: mergeRequestStates,
          row: (one: Static<typeof ListedMergeRequest>) =>
            itemRow(one, one.references?.full ?? `!${one.iid}`, pathIn(one.web_url)),
          none,
        }
        return show(req, reply, { title, body: await itemList(new Api(req), list, req.query) })
      },
    )

  app.get('/dashboard/todos', options, async (req, reply) => {
    const body = await listOf(
      new Api(req),
      '/dashboard/todos',
      {
        title: 'To-dos',
        api: '/todos',
        item: todoEntity(),
        row: (todo) =>
          html`<div>
              <a href="${pathIn(todo.target_url)}"><strong>${todo.body}</strong></a>
              <p class="quiet">
                ${person(todo.author)} · ${todo.action_name.replaceAll('_', ' ')} ·
                ${todo.project?.path_with_namespace ?? todo.group?.full_path}
              </p>
            </div>
            <p class="quiet aside">${since(todo.created_at)}</p>`,
        none: 'Nothing waits for you.',
      },
      req.query,
    )
    return show(req, reply, { title: 'To-dos', body })
  })
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { ListedMergeRequest } from '#code/merge-requests/list/entity.ts'
import { page } from '#platform/access/route-access.ts'
import { html } from '#platform/http/html.ts'
import { oneOf } from '#platform/http/schema.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { Issue } from '#planning/issues/entity.ts'
import { todoEntity } from '#planning/todos/entity.ts'
import { asks } from '../frame/action.ts'
import { Api, path } from '../frame/api.ts'
import { formPage } from '../frame/form-page.ts'
import { listOf } from '../frame/list-page.ts'
import { choices, pageNumber, pathIn } from '../frame/lists.ts'
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

  formPage(app, '/dashboard/todos', {
    who: 'signed in',
    params: Type.Object({}),
    querystring: Type.Object({ ...Paged.properties, state: Type.Optional(oneOf(['done'])) }),
    async show({ api, query: { state, page: number }, forms }) {
      const here = '/dashboard/todos'
      const done = `${here}?state=done`
      const isDone = state === 'done'
      const body = await listOf(
        api,
        isDone ? done : here,
        {
          title: 'To-dos',
          tabs: html`${choices('Which', [
            { title: 'To do', address: here, here: !isDone },
            { title: 'Done', address: done, here: isDone },
          ])}
          ${!isDone && html`<div class="actions">${forms.write({ does: 'all-done', submit: 'Mark all as done', looks: 'secondary' })}</div>`}`,
          api: '/todos',
          query: { state },
          item: todoEntity(),
          row: (todo) =>
            html`<div>
                <a href="${pathIn(todo.target_url)}"><strong>${todo.body}</strong></a>
                <p class="quiet">
                  ${person(todo.author)} · ${todo.action_name.replaceAll('_', ' ')} ·
                  ${todo.project?.path_with_namespace ?? todo.group?.full_path} · ${since(todo.created_at)}
                </p>
              </div>
              ${!isDone && forms.write({ does: `done/${todo.id}`, submit: 'Done', about: todo.body, looks: 'secondary' })}`,
          none: isDone ? 'Nothing is done yet.' : 'Nothing waits for you.',
        },
        { page: number },
      )
      return { title: 'To-dos', body }
    },
    actions: () => ({
      done: (id) => asks({ method: 'POST', path: path`/todos/${id}/mark_as_done`, says: 'Done.' }),
      'all-done': () => asks({ method: 'POST', path: '/todos/mark_as_done', says: 'All are done.' }),
    }),
  })
}

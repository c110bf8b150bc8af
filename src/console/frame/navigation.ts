import type { FastifyRequest } from 'fastify'
import { UserCounts } from '#identity/users/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { Api } from './api.ts'

/** Links to the places of the instance, with how much waits for the visitor. */
export const navigation = async (request: FastifyRequest): Promise<Html> =>
  request.identity === undefined ? forStrangers() : forPeople(new Api(request), request.identity.user.admin)

const forStrangers = (): Html => html`<a href="/explore">Explore</a> <a href="/help">Help</a>`

async function forPeople(api: Api, isAdministrator: boolean): Promise<Html> {
  const counts = await api.get(UserCounts, '/user_counts')
  // Folded on phones alone: see console.css.
  return html`<details>
    <summary>Menu</summary>
    <div>
      <a href="/dashboard">Your projects</a> <a href="/explore">Explore</a>
      <a href="/search">Search</a>
      <a href="/help">Help</a> ${isAdministrator && html`<a href="/admin">Admin</a>`}
      ${counted('/dashboard/issues', 'Issues', counts.assigned_issues)}
      ${counted('/dashboard/merge_requests', 'Merge requests', counts.assigned_merge_requests)}
      ${counted('/dashboard/reviews', 'Reviews', counts.review_requested_merge_requests)}
      ${counted('/dashboard/todos', 'To-dos', counts.todos)}
    </div>
  </details>`
}

const counted = (address: string, title: string, count: number): Html =>
  html`<a href="${address}">${title} <span class="count">${count}</span></a>`

import type { FastifyReply, FastifyRequest } from 'fastify'
import { UserCounts } from '#identity/users/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { sendPage } from '#platform/pages/page.ts'
import { Api } from './api.ts'

/** What a page of the console shows. */
export interface View {
  readonly title: string
  readonly body: Html
  /** The header of the project or group that it is about. */
  readonly place?: Html
  /** The address of a feed of what it shows. */
  readonly feed?: string
}

/** Sends a page, with the navigation of whoever visits it. */
export async function show(request: FastifyRequest, reply: FastifyReply, view: View): Promise<FastifyReply> {
  const navigation = request.identity === undefined ? forStrangers() : await forPeople(new Api(request))
  return sendPage(request, reply, { ...view, navigation, wide: true })
}

const forStrangers = (): Html => html`<a href="/explore">Explore</a>`

async function forPeople(api: Api): Promise<Html> {
  const counts = await api.get(UserCounts, '/user_counts')
  return html`<a href="/dashboard">Your projects</a> <a href="/explore">Explore</a>
    <a href="/search">Search</a> ${counted('/dashboard/issues', 'Issues', counts.assigned_issues)}
    ${counted('/dashboard/merge_requests', 'Merge requests', counts.assigned_merge_requests)}
    ${counted('/dashboard/todos', 'To-dos', counts.todos)}`
}

const counted = (address: string, title: string, count: number): Html =>
  html`<a href="${address}">${title} <span class="count">${count}</span></a>`

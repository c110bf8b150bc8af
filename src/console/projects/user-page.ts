import type { Static } from 'typebox'
import { html } from '#platform/http/html.ts'
import type { UserListed } from '#identity/users/entity.ts'
import { eitherProjectEntity } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { emptyList } from '../frame/lists.ts'
import type { View } from '../frame/show.ts'
import { projectList } from './project-list.ts'

/** Somebody, and the projects of their own. */
export async function userPage(api: Api, user: Static<typeof UserListed>): Promise<View> {
  const projects = await api.list(eitherProjectEntity(), path`/users/${user.id}/projects`, {
    per_page: 50,
    simple: true,
  })
  const body = html`<h1>${user.name} <span class="quiet">@${user.username}</span></h1>
    <h2>Projects</h2>
    ${projects.items.length === 0 ? emptyList('There is no project here that you may see.') : projectList(projects.items)}`
  return { title: user.name, feed: `/${user.username}.atom`, body }
}

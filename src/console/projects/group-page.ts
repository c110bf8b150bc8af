import type { Static } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { Group } from '#tenancy/groups/entity.ts'
import { eitherProjectEntity } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { type GroupDetail, groupHeader } from '../frame/group.ts'
import { emptyList } from '../frame/lists.ts'
import type { View } from '../frame/show.ts'
import { rightsIn } from '../frame/rights.ts'
import { projectList } from '../frame/project-list.ts'

const FEW = { per_page: 50 }

/** Groups below a group that its page shows. */
const MOST_GROUPS = 100

/** A group with the groups below it, and the projects directly in it. */
export async function groupPage(api: Api, group: GroupDetail): Promise<View> {
  const address = path`/groups/${group.id}`
  const [rights, groups, projects] = await Promise.all([
    rightsIn(api, address),
    api.list(Group, `${address}/descendant_groups`, { per_page: MOST_GROUPS, order_by: 'path' }),
    api.list(eitherProjectEntity(), `${address}/projects`, { ...FEW, simple: true }),
  ])
  const body = html`<h1 class="unseen">${group.name}</h1>
    ${group.description !== null && group.description !== '' && html`<p>${group.description}</p>`}
    ${
      (rights.may('create_project') || rights.may('create_subgroup')) &&
      html`<p class="actions">
        ${rights.may('create_project') && html`<a class="button" href="/projects/new?namespace_id=${group.id}">New project</a>`}
        ${rights.may('create_subgroup') && html`<a class="button secondary" href="/groups/new?parent_id=${group.id}">New group</a>`}
      </p>`
    }
    ${
      groups.items.length > 0 &&
      html`<h2>Groups</h2>
        ${tree(groups.items, group.id)}
        ${groups.next !== undefined && html`<p class="quiet">The first ${MOST_GROUPS} are shown.</p>`}`
    }
    <h2>Projects</h2>
    ${projects.items.length === 0 ? emptyList('There is no project here that you may see.') : projectList(projects.items)}`
  const feed = `/${group.full_path}.atom`
  return { title: group.full_name, place: groupHeader(group, 'Group'), feed, body }
}

/** The groups below a group, each with those below it. Of those that the visitor may not see, nothing below them is shown either. */
function tree(groups: readonly Static<typeof Group>[], parentId: number): Html | undefined {
  const children = groups.filter(({ parent_id }) => parent_id === parentId)
  if (children.length === 0) return undefined
  return html`<ul class="tree">
    ${children.map(
      ({ id, full_path, name, visibility }) =>
        html`<li>
          <a href="/${full_path}"><strong>${name}</strong></a> <span class="badge">${visibility}</span>
          ${tree(groups, id)}
        </li>`,
    )}
  </ul>`
}

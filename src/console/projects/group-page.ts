import { html } from '#platform/http/html.ts'
import { Group } from '#tenancy/groups/entity.ts'
import { eitherProjectEntity } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { type GroupDetail, groupHeader } from '../frame/group.ts'
import { emptyList } from '../frame/lists.ts'
import type { View } from '../frame/show.ts'
import { projectList } from '../frame/project-list.ts'

const FEW = { per_page: 50 }

/** A group with what is directly in it. */
export async function groupPage(api: Api, group: GroupDetail): Promise<View> {
  const [groups, projects] = await Promise.all([
    api.list(Group, path`/groups/${group.id}/subgroups`, FEW),
    api.list(eitherProjectEntity(), path`/groups/${group.id}/projects`, { ...FEW, simple: true }),
  ])
  const body = html`<h1 class="unseen">${group.name}</h1>
    ${group.description !== null && group.description !== '' && html`<p>${group.description}</p>`}
    ${
      groups.items.length > 0 &&
      html`<h2>Groups</h2>
        <ul class="rows">
          ${groups.items.map(
            ({ full_path, name, visibility }) =>
              html`<li>
                <a href="/${full_path}"><strong>${name}</strong></a> <span class="badge">${visibility}</span>
              </li>`,
          )}
        </ul>`
    }
    <h2>Projects</h2>
    ${projects.items.length === 0 ? emptyList('There is no project here that you may see.') : projectList(projects.items)}`
  const feed = `/${group.full_path}.atom`
  return { title: group.full_name, place: groupHeader(group, 'Group'), feed, body }
}

import { type Static, Type } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { Badge } from '#tenancy/badges/entity.ts'
import { Group } from '#tenancy/groups/entity.ts'
import { eitherProjectEntity } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { type GroupDetail, groupHeader, groupPageOf } from '../frame/group.ts'
import { ListParts } from '../frame/list-parts.ts'
import { emptyList, NO_MORE, pageNumber } from '../frame/lists.ts'
import type { View } from '../frame/show.ts'
import { rightsIn } from '../frame/rights.ts'
import { badgeLinks, MOST_BADGES } from '../parts/badges.ts'
import { projectList } from '../frame/project-list.ts'

/** Which part of its lists an address shows. */
export const GroupParts = Type.Object({ groups: pageNumber, projects: pageNumber })

interface Asked {
  readonly site: string
  readonly parts: Static<typeof GroupParts>
}

/** A group with the groups below it, and the projects directly in it. */
export async function groupPage(api: Api, group: GroupDetail, { site, parts }: Asked): Promise<View> {
  const address = path`/groups/${group.id}`
  const lists = new ListParts(api, `/${group.full_path}`, parts)
  const [rights, badges, groups, projects] = await Promise.all([
    rightsIn(api, address),
    api.besides.findList(Badge, `${address}/badges`, { per_page: MOST_BADGES }),
    lists.list('groups', Group, `${address}/descendant_groups`, { per_page: 100, order_by: 'path' }),
    lists.list('projects', eitherProjectEntity(), `${address}/projects`, { per_page: 50, simple: true }),
  ])
  const body = html`<h1 class="unseen">${group.name}</h1>
    ${group.description !== null && group.description !== '' && html`<p>${group.description}</p>`}
    ${badgeLinks(badges?.items ?? [], site)}
    ${
      api.isForSomebody &&
      html`<p class="actions">
        ${rights.may('create_project') && html`<a class="button" href="/projects/new?namespace_id=${group.id}">New project</a>`}
        ${rights.may('create_subgroup') && html`<a class="button secondary" href="/groups/new?parent_id=${group.id}">New group</a>`}
        <a class="button secondary" href="${groupPageOf(group, 'notifications')}">Notifications</a>
      </p>`
    }
    ${
      (groups.items.length > 0 || groups.others !== undefined) &&
      html`<h2>Groups</h2>
        ${groups.items.length === 0 ? emptyList(NO_MORE) : tree(groups.items, group.full_path)}
        ${groups.others}`
    }
    <h2>Projects</h2>
    ${projects.items.length === 0 ? emptyList(projects.others === undefined ? (rights.may('create_project') ? 'There is no project here yet. Make the first one.' : 'There is no project here that you may see.') : NO_MORE) : projectList(projects.items)}
    ${projects.others}`
  const feed = `/${group.full_path}.atom`
  return { title: group.full_name, place: groupHeader(group, 'Group'), feed, body }
}

/**
 * The groups of one page of a list, each with those of them that are below it. The others, whose group the visitor may not see or is on
 * another page, say where they are.
 * @param around the path of the group that all of them are in
 */
function tree(groups: readonly Static<typeof Group>[], around: string): Html | undefined {
  const listed = new Set(groups.map(({ id }) => id))
  const below = Map.groupBy(groups, ({ parent_id }) =>
    parent_id !== null && listed.has(parent_id) ? parent_id : undefined,
  )
  const branch = (parent: number | undefined): Html | undefined => {
    const children = below.get(parent)
    return (
      children &&
      html`<ul class="tree">
        ${children.map(
          ({ id, full_path, name, visibility }) =>
            html`<li>
              <a href="/${full_path}"><strong>${name}</strong></a>
              ${parent === undefined && whereIn(full_path, around)} <span class="badge">${visibility}</span>
              ${branch(id)}
            </li>`,
        )}
      </ul>`
    )
  }
  return branch(undefined)
}

/** The groups between a group and one further below it. */
function whereIn(path: string, around: string): Html | undefined {
  const between = path
    .slice(around.length + 1)
    .split('/')
    .slice(0, -1)
    .join('/')
  return between === '' ? undefined : html`<span class="quiet">in ${between}</span>`
}

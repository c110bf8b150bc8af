import type { Static } from 'typebox'
import { Snippet } from '#code/snippets/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { Group } from '#tenancy/groups/entity.ts'
import { eitherProjectEntity } from '#tenancy/projects/entity.ts'
import { Topic } from '#tenancy/topics/entity.ts'
import type { ListPage } from '../frame/list-page.ts'
import { addressOf } from '../frame/lists.ts'
import { snippetRow } from '../frame/snippet-row.ts'
import { projectRow } from '../frame/project-list.ts'

/** Where the lists are of what is the visitor's own. */
export const own = {
  Projects: '/dashboard',
  Groups: '/dashboard/groups',
  Snippets: '/dashboard/snippets',
  Activity: '/dashboard/activity',
} as const

/** Projects of the instance. @param none what to do where there is none */
export const projectsPage = (
  title: string,
  isOwn: boolean,
  none: string,
): ListPage<ReturnType<typeof eitherProjectEntity>> => ({
  title,
  api: '/projects',
  query: { membership: isOwn ? true : undefined, simple: true, order_by: 'last_activity_at' },
  item: eitherProjectEntity(),
  row: projectRow,
  none,
  search: 'Names of projects',
})

export const exploredGroups: ListPage<typeof Group> = {
  title: 'Explore',
  api: '/groups',
  query: { all_available: true, top_level_only: true },
  item: Group,
  row: groupRow,
  none: 'There is no group that you may see.',
  search: 'Names of groups',
}

export const ownGroups: ListPage<typeof Group> = {
  ...exploredGroups,
  title: 'Yours',
  query: { min_access_level: 10 },
  none: 'You are a member of no group yet.',
}

export const topics: ListPage<typeof Topic> = {
  title: 'Explore',
  api: '/topics',
  item: Topic,
  row: ({ name, title, total_projects_count: count }) =>
    html`<div>
        <a href="${addressOf('/explore', { topic: name })}"><strong>${title}</strong></a>
      </div>
      <p class="quiet aside">${count === 1 ? '1 project' : `${count} projects`}</p>`,
  none: 'No project has a topic yet.',
  search: 'Names of topics',
}

export const publicSnippets: ListPage<typeof Snippet> = {
  title: 'Explore',
  api: '/snippets/public',
  item: Snippet,
  row: snippetRow,
  none: 'There is no public snippet.',
}

export const ownSnippets: ListPage<typeof Snippet> = {
  ...publicSnippets,
  title: 'Yours',
  api: '/snippets',
  none: 'You have no snippet yet.',
}

function groupRow({ full_path, full_name, visibility, description }: Static<typeof Group>): Html {
  return html`<div>
    <a href="/${full_path}"><strong>${full_name}</strong></a> <span class="badge">${visibility}</span>
    ${description !== null && html`<p class="quiet one-line">${description}</p>`}
  </div>`
}

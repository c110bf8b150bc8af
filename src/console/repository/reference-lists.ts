import { Branch } from '#code/branches/entity.ts'
import { TagEntity } from '#code/tags/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { path } from '../frame/api.ts'
import type { ListPage } from '../frame/list-page.ts'
import { addressOf } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { pageOf, slashed } from '../frame/project.ts'

/** What deletes one, for those who may. */
type Remove = (name: string) => Html | false

/** The branches of a project. */
export const branchesOf = (
  project: EitherProject,
  {
    remove,
    mayBeProposed,
  }: {
    readonly remove: Remove
    /** Whether the visitor may open a merge request of a branch, and nobody has. */
    readonly mayBeProposed: (name: string) => boolean
  },
): ListPage<typeof Branch> => ({
  title: 'Branches',
  api: path`/projects/${project.id}/repository/branches`,
  item: Branch,
  row: (branch) =>
    html`<div>
        <a href="${pageOf(project, `tree/${slashed(branch.name)}`)}"><strong>${branch.name}</strong></a>
        ${branch.default && html`<span class="badge">default</span>`}
        ${branch.protected && html`<span class="badge">protected</span>`}
        ${branch.merged && !branch.default && html`<span class="badge">merged</span>`}
        <p class="quiet">${branch.commit.title}</p>
      </div>
      <p class="quiet aside">
        ${
          !branch.default &&
          project.default_branch !== null &&
          html`<a
              href="${pageOf(project, `compare/${slashed(project.default_branch)}...${slashed(branch.name)}`)}"
              >Compare</a
            >
            ·`
        }
        ${
          !branch.default &&
          !branch.merged &&
          project.merge_requests_enabled !== false &&
          mayBeProposed(branch.name) &&
          html`<a
              href="${addressOf(pageOf(project, 'merge_requests/new'), { 'merge_request[source_branch]': branch.name })}"
              >Open a merge request</a
            >
            ·`
        }
        ${since(branch.commit.committed_date)}
      </p>
      ${branch.can_push && !branch.default && !branch.protected && remove(branch.name)}`,
  none: 'There is no branch yet. The first push makes one.',
  search: 'Words in names',
})

/** The tags of a project. */
export const tagsOf = (project: EitherProject, remove: Remove): ListPage<typeof TagEntity> => ({
  title: 'Tags',
  api: path`/projects/${project.id}/repository/tags`,
  item: TagEntity,
  row: (tag) =>
    html`<div>
        <a href="${pageOf(project, `tree/${slashed(tag.name)}`)}"><strong>${tag.name}</strong></a>
        ${tag.protected && html`<span class="badge">protected</span>`}
        <p class="quiet">${tag.message ?? tag.commit?.title}</p>
      </div>
      <p class="quiet aside">${tag.commit !== null && since(tag.commit.committed_date)}</p>
      ${!tag.protected && remove(tag.name)}`,
  none: 'There is no tag yet.',
  search: 'Words in names',
})

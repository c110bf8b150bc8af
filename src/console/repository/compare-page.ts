import { CompareEntity } from '#code/repositories/compare/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { MAX_NAME } from '#code/repositories/limits.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { emptyList } from '../frame/lists.ts'
import { pageOf, projectHeader } from '../frame/project.ts'
import type { View } from '../frame/show.ts'
import { commitLine } from './commit-line.ts'
import { type DiffView, shownDiffs } from './diffs.ts'

/** What is compared: what `to` has and `from` has not. */
export interface Compared {
  readonly from: string
  readonly to: string
  /** The two as they are, instead of `to` with what they have in common. */
  readonly straight: boolean
  /** The id of the project that has `from`, if it is another one. */
  readonly fromProject?: number | undefined
}

/** What is compared by an address: `main...topic`, or `main..topic` for the two as they are; undefined for all else. */
export function comparedIn(named: string): Compared | undefined {
  const [, from, dots, to] = /^(.+?)(\.{2,3})([^.].*)$/s.exec(named) ?? []
  return from === undefined || to === undefined ? undefined : { from, to, straight: dots === '..' }
}

/** Commits that a page lists. */
const MOST_COMMITS = 200

/** How two branches, tags or commits differ. */
export async function comparePage(
  api: Api,
  project: EitherProject,
  compared: Compared,
  view: DiffView,
): Promise<View> {
  const { from, to } = compared
  return {
    title: `${from}...${to} · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Branches'),
    body: html`<h1>Compare</h1>
      ${compareForm(project, from, to)} ${await comparison(api, project, compared, view)}`,
  }
}

/** The commits and changes between two branches, tags or commits. */
export async function comparison(
  api: Api,
  project: EitherProject,
  { from, to, straight, fromProject }: Compared,
  view: DiffView,
): Promise<Html> {
  const compared = await api.get(CompareEntity, path`/projects/${project.id}/repository/compare`, {
    from,
    to,
    straight,
    from_project_id: fromProject,
  })
  const { commits, diffs, compare_timeout } = compared
  return html`${compare_timeout && html`<p class="notice">There are too many commits or changes; some are left out.</p>`}
    <h2>${commits.length === 1 ? '1 commit' : `${commits.length} commits`}</h2>
    ${
      commits.length === 0
        ? emptyList(`${to} has no commit that ${from} has not.`)
        : html`<ul class="rows">
            ${commits
              .toReversed()
              .slice(0, MOST_COMMITS)
              .map((commit) => html`<li><div>${commitLine(project, commit)}</div></li>`)}
          </ul>`
    }
    ${commits.length > MOST_COMMITS && html`<p class="quiet">The latest ${MOST_COMMITS} are shown.</p>`}
    <h2>Changes</h2>
    ${shownDiffs(diffs, view)}`
}

/** Asks what to compare. */
export const compareForm = (project: EitherProject, from = '', to = '') =>
  html`<form class="search" method="get" action="${pageOf(project, 'compare')}">
    <label class="unseen" for="from">From</label>
    <input id="from" name="from" value="${from}" maxlength="${MAX_NAME}" required placeholder="From" />
    <label class="unseen" for="to">To</label>
    <input id="to" name="to" value="${to}" maxlength="${MAX_NAME}" required placeholder="To" />
    <button type="submit" class="secondary">Compare</button>
  </form>`

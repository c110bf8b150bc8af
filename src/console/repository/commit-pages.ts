import { CommitDetail, CommitEntity } from '#code/commits/entity.ts'
import { DiffEntity } from '#code/commits/diff-entity.ts'
import { html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { emptyList, otherPages } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import type { View } from '../frame/show.ts'
import { pageOf, projectHeader, slashed } from '../frame/project.ts'
import { commitLine } from './commit-line.ts'
import { type DiffView, shownDiffs } from './diffs.ts'
import type { Place } from './references.ts'
import { pathLinks } from './tree-page.ts'

/** The commits that led to a branch, tag or commit, or that changed one file of it; undefined where it is not there. */
export async function commitsPage(
  api: Api,
  project: EitherProject,
  { ref, path: at }: Place,
  page: number,
): Promise<View | undefined> {
  const commits = await api.findList(CommitEntity, path`/projects/${project.id}/repository/commits`, {
    ref_name: ref,
    path: at === '' ? undefined : at,
    page,
    per_page: 40,
  })
  if (commits === undefined) return undefined
  const here = pageOf(project, `commits/${slashed(at === '' ? ref : `${ref}/${at}`)}`)
  return {
    title: `Commits · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Commits'),
    feed: `${here}?format=atom`,
    body: html`<h1 class="path">${pathLinks(project, ref, at)}</h1>
      ${
        commits.items.length === 0
          ? emptyList('There is no commit here.')
          : html`<ul class="rows">
              ${commits.items.map((commit) => html`<li><div>${commitLine(project, commit)}</div></li>`)}
            </ul>`
      }
      ${otherPages(commits, page, here, {})}`,
  }
}

/** A commit, and what it changed. */
export async function commitPage(
  api: Api,
  project: EitherProject,
  sha: string,
  { page, ...query }: Omit<DiffView, 'here'> & { readonly page: number },
): Promise<View> {
  const address = path`/projects/${project.id}/repository/commits/${sha}`
  const [commit, diffs] = await Promise.all([
    api.get(CommitDetail, address),
    api.list(DiffEntity, `${address}/diff`, { page, per_page: 50 }),
  ])
  return {
    title: `${commit.title} · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Commits'),
    body: html`<h1>${commit.title}</h1>
      <p class="quiet">${commit.author_name} · ${since(commit.committed_date)} · <code>${commit.id}</code></p>
      <pre class="message" tabindex="0">${commit.message}</pre>
      <p><a href="${pageOf(project, `tree/${commit.id}`)}">Files as of this commit</a></p>
      ${shownDiffs(diffs.items, { here: pageOf(project, `commit/${commit.id}`), page, ...query })}
      ${otherPages(diffs, page, pageOf(project, `commit/${commit.id}`), { view: query.view, w: query.w })}`,
  }
}

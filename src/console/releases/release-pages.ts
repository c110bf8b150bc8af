import { ListedRelease, Release } from '#delivery/releases/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { type GroupDetail, groupHeader, groupPageOf } from '../frame/group.ts'
import { pathIn } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { pageOf, projectHeader } from '../frame/project.ts'
import { rightsIn } from '../frame/rights.ts'
import type { View } from '../frame/show.ts'
import { rows } from '../parts/rows.ts'
import { releaseParts, type ShownRelease } from './release.ts'

/** Characters of notes that a list renders: a release has its own page. */
const MOST_NOTES = 60_000
const FEW = 10

const selfOf = ({ _links }: Pick<ShownRelease, '_links'>): string => pathIn(_links.self)

const nameOf = ({ name, upcoming_release }: Pick<ShownRelease, 'name' | 'upcoming_release'>): Html =>
  html`${name} ${upcoming_release && html`<span class="badge">upcoming</span>`}`

/** The releases of a project with their notes, the last one first. */
export async function releaseList(api: Api, project: EitherProject, page: number): Promise<View> {
  const [list, rights] = await Promise.all([
    api.list(Release, path`/projects/${project.id}/releases`, { page, per_page: FEW }),
    rightsIn(api, path`/projects/${project.id}`),
  ])
  const notes = await notesOf(api, project, list.items)
  // A release by itself is for those who may read the code.
  const showsCode = project.default_branch !== null
  return {
    title: `Releases · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Releases'),
    body: html`<h1>Releases</h1>
      ${rights.may('admin_release') && html`<p class="actions"><a class="button" href="${pageOf(project, 'releases/new')}">New release</a></p>`}
      ${rows({
        list: { ...list, items: list.items.map((release, index) => ({ release, note: notes[index] })) },
        page,
        address: pageOf(project, 'releases'),
        none: 'Nothing was released yet. A release is a tag with notes and what belongs to it.',
        row: ({ release, note }) =>
          html`<div class="release">
            <h2>
              ${showsCode ? html`<a href="${selfOf(release)}">${nameOf(release)}</a>` : nameOf(release)}
            </h2>
            ${releaseParts(project, release, note)}
          </div>`,
      })}`,
  }
}

/** Notes as HTML, as far as they are not too long for a list. */
async function notesOf(
  api: Api,
  project: EitherProject,
  releases: readonly ShownRelease[],
): Promise<readonly (Html | undefined)[]> {
  let left = MOST_NOTES
  const fitting = releases.map(({ description }) => {
    const text = description ?? ''
    left -= text.length
    return left < 0 ? undefined : text
  })
  const rendered = await api.render(
    fitting.map((text) => text ?? ''),
    { path: project.path_with_namespace },
  )
  return fitting.map((text, index) => {
    if (text === '') return undefined
    const release = releases[index]
    return text === undefined && release !== undefined
      ? html`<p><a href="${selfOf(release)}">Read what is new</a></p>`
      : rendered[index]
  })
}

/** One release. */
export async function releasePage(api: Api, project: EitherProject, tag: string): Promise<View> {
  const [release, rights] = await Promise.all([
    api.get(Release, path`/projects/${project.id}/releases/${tag}`),
    rightsIn(api, path`/projects/${project.id}`),
  ])
  const text = release.description ?? ''
  const [notes] = await api.render([text], { path: project.path_with_namespace })
  return {
    title: `${release.name} · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Releases'),
    body: html`<h1>${nameOf(release)}</h1>
      ${rights.may('admin_release') && html`<p class="actions"><a class="button secondary" href="${pageOf(project, path`releases/${tag}/edit`)}">Change</a></p>`}
      ${releaseParts(project, release, text === '' ? undefined : notes)}`,
  }
}

/** The releases of all projects in a group. */
export async function groupReleases(api: Api, group: GroupDetail, page: number): Promise<View> {
  const list = await api.list(ListedRelease, path`/groups/${group.id}/releases`, { page })
  return {
    title: `Releases · ${group.full_name}`,
    place: groupHeader(group, 'Releases'),
    body: html`<h1>Releases</h1>
      ${rows({
        list,
        page,
        address: groupPageOf(group, 'releases'),
        none: 'No project of this group released something yet.',
        row: ({ name, tag_name, released_at, upcoming_release, _links }) =>
          html`<div>
              ${
                _links === undefined
                  ? html`<strong>${name}</strong>`
                  : html`<a href="${pathIn(_links.self)}"><strong>${name}</strong></a>`
              }
              ${tag_name !== undefined && html`<code>${tag_name}</code>`}
              ${upcoming_release && html`<span class="badge">upcoming</span>`}
              ${_links !== undefined && html`<p class="quiet">${projectIn(_links.self)}</p>`}
            </div>
            <p class="quiet aside">${since(released_at)}</p>`,
      })}`,
  }
}

/** The path of the project that an address is in, which the list does not say otherwise. */
const projectIn = (address: string): string => decodeURI(pathIn(address).split('/-/', 1)[0]?.slice(1) ?? '')

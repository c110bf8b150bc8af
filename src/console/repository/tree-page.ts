import type { Static } from 'typebox'
import { Branch } from '#code/branches/entity.ts'
import { CommitEntity } from '#code/commits/entity.ts'
import { TreeEntryEntity } from '#code/repositories/tree/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, type List, path, unlessTooMuch } from '../frame/api.ts'
import { emptyList, NO_MORE, otherPages } from '../frame/lists.ts'
import { rightsIn } from '../frame/rights.ts'
import type { View } from '../frame/show.ts'
import { pageOf, projectHeader, slashed } from '../frame/project.ts'
import { lastCommit } from './commit-line.ts'
import type { Place } from './references.ts'

/** Entries of a folder that a page shows at once. */
export const MOST_ENTRIES = 100

type Entry = Static<typeof TreeEntryEntity>

/** Branches that a folder offers: those that changed last. */
const BRANCHES = 10

/** A page of a folder; undefined where there is none. */
export async function treePage(
  api: Api,
  project: EitherProject,
  { ref, path: folder }: Place,
  page: number,
): Promise<View | undefined> {
  const [rights, entries, commits, branches] = await Promise.all([
    rightsIn(api, path`/projects/${project.id}`),
    api.findList(TreeEntryEntity, path`/projects/${project.id}/repository/tree`, {
      ref,
      path: folder,
      page,
      per_page: MOST_ENTRIES,
    }),
    api.findList(CommitEntity, path`/projects/${project.id}/repository/commits`, {
      ref_name: ref,
      path: folder === '' ? undefined : folder,
      per_page: 1,
    }),
    // Each comes with its commit, whose message may be long.
    unlessTooMuch(
      api.findList(Branch, path`/projects/${project.id}/repository/branches`, {
        sort: 'updated_desc',
        per_page: BRANCHES,
      }),
    ),
  ])
  if (entries === undefined) return undefined
  return {
    title: `${folder === '' ? 'Files' : folder} · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Files'),
    body: html`<h1 class="path">${pathLinks(project, ref, folder)}</h1>
      ${branchLinks(project, branches?.items ?? [], { ref, path: folder })}
      ${lastCommit(project, commits?.items[0])}
      ${rights.may('commit_code') && newFileLink(project, ref, folder)} ${archiveLinks(project, ref)}
      ${entryList(project, { ref, path: folder }, entries, page)}`,
  }
}

/** Links to the same folder of other branches. */
const branchLinks = (
  project: EitherProject,
  branches: readonly Static<typeof Branch>[],
  { ref, path: folder }: Place,
): Html =>
  html`<details class="others">
    <summary>Other branches and tags</summary>
    <ul>
      ${branches
        .filter(({ name }) => name !== ref)
        .map(
          ({ name }) =>
            html`<li>
              <a href="${pageOf(project, `tree/${slashed(folder === '' ? name : `${name}/${folder}`)}`)}"
                >${name}</a
              >
            </li>`,
        )}
      <li><a href="${pageOf(project, 'branches')}">All branches</a></li>
      <li><a href="${pageOf(project, 'tags')}">All tags</a></li>
    </ul>
  </details>`

/** For those who may commit. */
export const newFileLink = (project: EitherProject, ref: string, folder: string): Html =>
  html`<p class="actions">
    <a
      class="button secondary"
      href="${pageOf(project, `new/${slashed(folder === '' ? ref : `${ref}/${folder}`)}`)}"
      >New file</a
    >
  </p>`

const ARCHIVES = ['zip', 'tar.gz', 'tar.bz2', 'tar'] as const

/** Links to all files of a branch, tag or commit in one. */
export function archiveLinks(project: EitherProject, ref: string): Html {
  const file = `${project.path}-${ref.replaceAll('/', '-')}`
  return html`<details class="clone">
    <summary>Download</summary>
    <p>
      ${ARCHIVES.map((format) => html`<a href="${pageOf(project, `archive/${slashed(ref)}/${encodeURIComponent(file)}.${format}`)}">${format}</a> `)}
    </p>
  </details>`
}

/** A page of what is in a folder, folders first. */
export function entryList(
  project: EitherProject,
  { ref, path: folder }: Place,
  entries: List<Entry>,
  page = 1,
): Html {
  const here = pageOf(project, `tree/${slashed(folder === '' ? ref : `${ref}/${folder}`)}`)
  const others = otherPages(entries, page, here, {})
  if (entries.items.length === 0)
    return html`${emptyList(others === undefined ? 'The folder is empty.' : NO_MORE)} ${others}`
  const up = folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : ''
  return html`<ul class="files">
      ${folder !== '' && html`<li><a href="${pageOf(project, `tree/${slashed(ref)}/${slashed(up)}`)}">..</a></li>`}
      ${entries.items.map((entry) => html`<li class="${entry.type}">${entryLink(project, ref, entry)}</li>`)}
    </ul>
    ${others}`
}

function entryLink(project: EitherProject, ref: string, { type, name, path: at }: Entry): Html {
  // A submodule is in another repository.
  if (type === 'commit') return html`<span>${name}</span>`
  return html`<a href="${pageOf(project, `${type}/${slashed(ref)}/${slashed(at)}`)}">${name}</a>`
}

/** Links to the folders around a file or folder. */
export function pathLinks(project: EitherProject, ref: string, at: string): readonly Html[] {
  const names = at === '' ? [] : at.split('/')
  const root = html`<a href="${pageOf(project, `tree/${slashed(ref)}`)}">${ref}</a>`
  return [
    root,
    ...names.map((name, index) =>
      index === names.length - 1
        ? html` / ${name}`
        : html` /
            <a
              href="${pageOf(project, `tree/${slashed(ref)}/${slashed(names.slice(0, index + 1).join('/'))}`)}"
              >${name}</a
            >`,
    ),
  ]
}

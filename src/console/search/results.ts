import type { Static, TSchema } from 'typebox'
import { FoundBlob, FoundCommit } from '#activity/search/blob-entity.ts'
import { ListedMergeRequest } from '#code/merge-requests/list/entity.ts'
import { Snippet } from '#code/snippets/entity.ts'
import { UserBasic } from '#identity/users/basic.ts'
import { type Html, html } from '#platform/http/html.ts'
import { Epic } from '#planning/epics/entity.ts'
import { Issue } from '#planning/issues/entity.ts'
import { issueNoteable } from '#planning/issues/noteable.ts'
import { Milestone } from '#planning/milestones/entity.ts'
import { noteOn } from '#planning/notes/entity.ts'
import { type EitherProject, eitherProjectEntity } from '#tenancy/projects/entity.ts'
import type { Api, List, Query } from '../frame/api.ts'
import { pathIn } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { itemRow } from '../items/row.ts'
import { projectRow } from '../frame/project-list.ts'
import { pageOf, slashed } from '../frame/project.ts'

/** What can be searched for: its title, and how to find it and show what was found. */
export interface Scope {
  readonly title: string
  readonly find: (api: Api, address: string, query: Query, project?: EitherProject) => Promise<List<Html>>
}

function scope<S extends TSchema>(
  title: string,
  item: () => S,
  row: (found: Static<S>, project: EitherProject | undefined) => Html,
): Scope {
  return {
    title,
    async find(api, address, query, project) {
      const { items, ...list } = await api.list(item(), address, query)
      return { ...list, items: items.map((found) => html`<li>${row(found, project)}</li>`) }
    },
  }
}

const named = (address: string, title: string, about?: Html | string): Html =>
  html`<div>
    <a href="${pathIn(address)}"><strong>${title}</strong></a>
    ${about !== undefined && html`<p class="quiet">${about}</p>`}
  </div>`

const issues = scope(
  'Issues',
  () => Issue,
  (one) => itemRow(one, one.references.full, pathIn(one.web_url)),
)
const mergeRequests = scope(
  'Merge requests',
  () => ListedMergeRequest,
  (one) => itemRow(one, one.references?.full ?? `!${one.iid}`, pathIn(one.web_url)),
)
const milestones = scope(
  'Milestones',
  () => Milestone,
  (one) => named(one.web_url, one.title),
)
const people = scope(
  'People',
  () => UserBasic,
  (one) => named(one.web_url, one.name, `@${one.username}`),
)

/** In the order of the choices on the page. */
export const everywhere: Readonly<Record<string, Scope>> = {
  projects: scope('Projects', eitherProjectEntity, projectRow),
  issues,
  merge_requests: mergeRequests,
  milestones,
  epics: scope(
    'Epics',
    () => Epic,
    (one) => named(one.web_url, one.title, one.references.full),
  ),
  users: people,
  snippet_titles: scope(
    'Snippets',
    () => Snippet,
    (one) => named(one.web_url, one.title),
  ),
}

export const inProject: Readonly<Record<string, Scope>> = {
  blobs: scope(
    'Files',
    () => FoundBlob,
    (found, project) => foundLines(found, project),
  ),
  commits: scope(
    'Commits',
    () => FoundCommit,
    (commit) =>
      named(commit.web_url, commit.title, html`${commit.author_name} · ${since(commit.committed_date)}`),
  ),
  issues,
  merge_requests: mergeRequests,
  milestones,
  notes: scope(
    'Comments',
    // Comments on all kinds of things have what is shown here.
    () => noteOn(issueNoteable),
    (note, project) => foundNote(note, project),
  ),
  wiki_blobs: scope(
    'Wiki',
    () => FoundBlob,
    (found, project) => foundPage(found, project),
  ),
  users: people,
}

/** Where things are that people comment on, by their type. */
const placesOfNotes: Readonly<Record<string, string>> = {
  Issue: 'issues',
  MergeRequest: 'merge_requests',
  Snippet: 'snippets',
  Commit: 'commit',
}

/** A comment, which leads to what it is on. */
function foundNote(note: Static<ReturnType<typeof noteOn>>, project: EitherProject | undefined): Html {
  const { author, body, created_at, noteable_type: type, noteable_id: id, noteable_iid: iid } = note
  const place = placesOfNotes[type]
  const key = type === 'Commit' ? note.commit_id : (iid ?? id)
  const title = `Comment of ${author.name}`
  return html`<div>
    ${
      project === undefined || place === undefined || key === undefined || key === null
        ? title
        : html`<a href="${pageOf(project, `${place}/${key}`)}"><strong>${title}</strong></a>`
    }
    <p class="quiet">${since(created_at)}</p>
    <p class="one-line">${body.slice(0, SHOWN)}</p>
  </div>`
}

/** Characters of a comment that are shown. */
const SHOWN = 300

/** The lines of a page of the wiki that have the words, which lead to the page. */
function foundPage({ path, data }: Static<typeof FoundBlob>, project: EitherProject | undefined): Html {
  const page = path.replace(/\.[^./]*$/, '')
  return html`<div>
    ${project === undefined ? page : html`<a href="${pageOf(project, `wikis/${slashed(page)}`)}"><strong>${page}</strong></a>`}
    <pre tabindex="0"><code>${data}</code></pre>
  </div>`
}

/** The lines of a file that have the words, which lead to the file. */
function foundLines(
  { path, ref, startline, data }: Static<typeof FoundBlob>,
  project: EitherProject | undefined,
): Html {
  const title = `${path}:${startline}`
  const place = project && `${pageOf(project, `blob/${slashed(ref)}/${slashed(path)}`)}#L${startline}`
  return html`<div>
    ${place === undefined ? title : html`<a href="${place}"><strong>${title}</strong></a>`}
    <pre tabindex="0"><code>${data}</code></pre>
  </div>`
}

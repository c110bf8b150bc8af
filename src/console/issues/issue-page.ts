import type { Static } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { discussionOn } from '#planning/discussions/entity.ts'
import { IssueSingle } from '#planning/issues/entity.ts'
import { issueNoteable } from '#planning/issues/noteable.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { labelList } from '../frame/labels.ts'
import { otherPages } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { person } from '../frame/people.ts'
import type { View } from '../frame/show.ts'
import { pageOf, projectHeader } from '../projects/project.ts'

type Discussion = Static<ReturnType<typeof discussionOn>>
type Note = Discussion['notes'][number]

/** Threads on one page. */
const MOST_THREADS = 100

/** An issue, and a page of what people said of it and did to it. */
export async function issuePage(api: Api, project: EitherProject, iid: number, page: number): Promise<View> {
  const address = path`/projects/${project.id}/issues/${iid}`
  const [issue, discussions] = await Promise.all([
    api.get(IssueSingle, address),
    // The API tells nobody but people who are signed in.
    api.isForSomebody
      ? api.list(discussionOn(issueNoteable), `${address}/discussions`, { page, per_page: MOST_THREADS })
      : undefined,
  ])
  const body = html`<article>
    <h1>${issue.title} <span class="quiet">#${issue.iid}</span></h1>
    <p class="quiet">
      <span class="state ${issue.state}">${issue.state === 'opened' ? 'Open' : 'Closed'}</span>
      ${issue.confidential && html`<span class="badge">confidential</span>`} by ${person(issue.author)} ·
      ${since(issue.created_at)}
    </p>
    ${facts(issue)}
    ${
      issue.description === null || issue.description === ''
        ? html`<p class="empty">There is no description.</p>`
        : html`<div class="text plain">${issue.description}</div>`
    }
    <section aria-label="Activity">
      ${
        discussions === undefined
          ? issue.user_notes_count > 0 && html`<p class="empty">Sign in to read what people said.</p>`
          : html`${discussions.items.map(thread)}
            ${otherPages(discussions, page, pageOf(project, `issues/${iid}`), {})}`
      }
    </section>
  </article>`
  return {
    title: `${issue.title} (#${issue.iid}) · ${project.name_with_namespace}`,
    body,
    place: projectHeader(project, 'Issues'),
  }
}

function facts(issue: Static<typeof IssueSingle>): Html {
  const rows: readonly (readonly [string, Html | undefined])[] = [
    [
      'Assigned to',
      issue.assignees.length > 0 ? html`${issue.assignees.map((one) => html`${person(one)} `)}` : undefined,
    ],
    ['Labels', issue.labels.length > 0 ? html`${labelList(issue.labels)}` : undefined],
    ['Milestone', issue.milestone === null ? undefined : html`${issue.milestone.title}`],
    [
      'Due',
      issue.due_date === null ? undefined : html`<time datetime="${issue.due_date}">${issue.due_date}</time>`,
    ],
    ['Weight', issue.weight === null ? undefined : html`${issue.weight}`],
  ]
  const known = rows.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]))
  return html`<dl class="facts">
    ${known.map(
      ({ name, value }) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${value}</dd>
        </div>`,
    )}
  </dl>`
}

const thread = ({ notes }: Discussion): Html =>
  notes.length === 1 ? html`${notes.map(note)}` : html`<div class="thread">${notes.map(note)}</div>`

function note(shown: Note): Html {
  const about = html`${person(shown.author)} · <a href="#note_${shown.id}">${since(shown.created_at)}</a>`
  if (shown.system)
    return html`<p class="system" id="note_${shown.id}">
      ${person(shown.author)} ${shown.body} · ${since(shown.created_at)}
    </p>`
  return html`<article class="note" id="note_${shown.id}">
    <p class="quiet">${about} ${shown.internal && html`<span class="badge">internal</span>`}</p>
    <div class="text plain">${shown.body}</div>
  </article>`
}

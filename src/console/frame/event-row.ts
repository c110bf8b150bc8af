import type { Event } from '#activity/events/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { pageOfEvent } from './event-page.ts'
import { since } from './moments.ts'
import { person } from './people.ts'
import { pageOf, pathOf } from './project.ts'

const nouns: Readonly<Record<string, string>> = {
  MergeRequest: 'merge request',
  WorkItem: 'issue',
  WikiPage: 'wiki page',
  'WikiPage::Meta': 'wiki page',
}

/** What people name by its number; all else they name by its title. */
const signs: Readonly<Record<string, string>> = { MergeRequest: '!', Issue: '#', WorkItem: '#' }

/**
 * Something that somebody did, in a list.
 * @param project where; without it, nothing leads to what it was about
 * @param amongOthers whether the list has events of several projects
 */
export const eventRow = (event: Event, project?: EitherProject, amongOthers = false): Html =>
  html`<div>
      ${person(event.author)} ${event.action_name} ${what(event, project)}
      ${amongOthers && project !== undefined && html`· <a class="quiet" href="${pathOf(project)}">${project.path_with_namespace}</a>`}
      ${event.note !== undefined && html`<p class="quiet one-line">${event.note.body}</p>`}
    </div>
    <p class="quiet aside">${since(event.created_at)}</p>`

function what(event: Event, project: EitherProject | undefined): Html {
  const { push_data: push, target_type, target_iid, target_title, note } = event
  const page = project && pageOfEvent(event)
  const link = (words: Html) =>
    project === undefined || page === undefined
      ? words
      : html`<a href="${pageOf(project, page)}">${words}</a>`
  if (push !== undefined) {
    const commits = push.commit_count === 1 ? '1 commit' : `${push.commit_count} commits`
    return html`${push.ref_type} ${link(html`<code>${push.ref ?? undefined}</code>`)}
    ${push.commit_count > 0 && html`· ${commits}`}
    ${push.commit_title !== null && html`· ${push.commit_title ?? undefined}`}`
  }
  if (target_type === null) return html`the project`
  const [type, iid] = note === undefined ? [target_type, target_iid] : [note.noteable_type, note.noteable_iid]
  const noun = nouns[type] ?? type.toLowerCase()
  const sign = signs[type]
  const number = sign === undefined || iid === null ? '' : `${sign}${iid} `
  return html`${noun} ${link(html`${number}<strong>${target_title ?? undefined}</strong>`)}`
}

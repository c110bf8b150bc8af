import type { Event } from '#activity/events/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { since } from './moments.ts'
import { person } from './people.ts'

const nouns: Readonly<Record<string, string>> = {
  MergeRequest: 'merge request',
  WikiPage: 'wiki page',
  'WikiPage::Meta': 'wiki page',
  DiffNote: 'note',
  DiscussionNote: 'note',
  Note: 'note',
}

/** Something that somebody did, in a list. */
export const eventRow = (event: Event): Html =>
  html`<div>
      ${person(event.author)} ${event.action_name} ${what(event)}
      ${event.note !== undefined && html`<p class="quiet one-line">${event.note.body}</p>`}
    </div>
    <p class="quiet aside">${since(event.created_at)}</p>`

function what({ push_data: push, target_type, target_iid, target_title, note }: Event): Html {
  if (push !== undefined) {
    const commits = push.commit_count === 1 ? '1 commit' : `${push.commit_count} commits`
    return html`${push.ref_type}
      <code>${push.ref ?? undefined}</code> ${push.commit_count > 0 && html`· ${commits}`}
      ${push.commit_title !== null && html`· ${push.commit_title ?? undefined}`}`
  }
  if (target_type === null) return html`the project`
  const noun = nouns[target_type] ?? target_type.toLowerCase()
  const sign = target_type === 'MergeRequest' ? '!' : '#'
  const number = note === undefined && target_iid !== null ? `${sign}${target_iid}` : undefined
  return html`${noun} ${number} ${target_title !== null && html`<strong>${target_title}</strong>`}`
}

import { type Html, html } from '#platform/http/html.ts'
import { labelList, type ShownLabel } from '../frame/labels.ts'
import { since } from '../frame/moments.ts'
import { person, type Person } from '../frame/people.ts'

/** What a list shows of an issue or merge request. */
export interface Item {
  readonly title: string
  readonly author?: Person | undefined
  readonly created_at: string
  readonly state: string
  readonly labels?: readonly ShownLabel[] | undefined
  readonly milestone?: { readonly title: string } | null | undefined
  readonly assignees?: readonly Person[] | undefined
  readonly user_notes_count?: number | undefined
  readonly confidential?: boolean | undefined
  readonly draft?: boolean | undefined
}

/** An issue or merge request in a list. @param reference how people name it: `#12`, `group/project!3` */
export const itemRow = (item: Item, reference: string, address: string): Html =>
  html`<div>
      <a href="${address}"><strong>${item.title}</strong></a>
      ${item.draft === true && html`<span class="badge">draft</span>`}
      ${item.confidential === true && html`<span class="badge">confidential</span>`}
      ${item.state !== 'opened' && html`<span class="badge">${item.state}</span>`}
      ${labelList(item.labels ?? [])}
      <p class="quiet">
        ${reference} ${item.author && html`by ${person(item.author)}`} · ${since(item.created_at)}
        ${item.milestone !== null && item.milestone !== undefined && html`· ${item.milestone.title}`}
      </p>
    </div>
    <p class="quiet aside">
      ${(item.assignees ?? []).map((one) => html`${person(one)} `)}
      ${(item.user_notes_count ?? 0) > 0 && `${item.user_notes_count} ${item.user_notes_count === 1 ? 'note' : 'notes'}`}
    </p> `

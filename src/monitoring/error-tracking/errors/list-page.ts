import type { Static } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { momentAsHtml } from '#platform/pages/moments.ts'
import { type ErrorBrief, pageOf } from './entity.ts'
import { errorStatuses } from './parameters.ts'

interface ErrorList {
  readonly project: { readonly id: number; readonly full_path: string }
  readonly errors: readonly Static<typeof ErrorBrief>[]
  readonly status: string
  readonly query: string
  /** The number of the next page, when there is one. */
  readonly next: number | undefined
}

/** The errors of a project, the one seen last first. */
export function listPage({ project, errors, status, query, next }: ErrorList): Html {
  const path = pageOf(project.id)
  return html`<h1>Errors of <bdi>${project.full_path}</bdi></h1>
    <form method="get" action="${path}">
      <div class="field">
        <label for="query">Title or place</label>
        <input id="query" name="query" value="${query}" maxlength="255" />
      </div>
      <div class="field">
        <label for="status">Status</label>
        <select id="status" name="status">
          ${errorStatuses.map((one) => html`<option value="${one}" ${one === status && html`selected`}>${one}</option>`)}
        </select>
      </div>
      <button type="submit">Show</button>
    </form>
    ${
      errors.length === 0
        ? html`<p class="quiet">There are none.</p>`
        : html`<ul class="cards">
            ${errors.map((error) => card(error, pageOf(project.id, error.id)))}
          </ul>`
    }
    ${
      next !== undefined &&
      html`<p>
        <a href="${`${path}?${new URLSearchParams({ status, query, page: String(next) }).toString()}`}"
          >Older errors</a
        >
      </p>`
    }`
}

const card = (error: Static<typeof ErrorBrief>, path: string): Html =>
  html`<li class="card">
    <h2><a href="${path}">${error.title}</a></h2>
    ${error.culprit !== null && html`<p class="quiet"><code>${error.culprit}</code></p>`} ${numbersOf(error)}
  </li>`

/** How often it happened, to whom, and when. */
export function numbersOf(error: Static<typeof ErrorBrief>): Html {
  return html`<dl>
    <div>
      <dt>Events</dt>
      <dd>${error.events_count}</dd>
    </div>
    <div>
      <dt>People</dt>
      <dd>${error.users_count}</dd>
    </div>
    <div>
      <dt>Level</dt>
      <dd>${error.level}</dd>
    </div>
    <div>
      <dt>First seen</dt>
      <dd>${momentAsHtml(error.first_seen_at)}</dd>
    </div>
    <div>
      <dt>Last seen</dt>
      <dd>${momentAsHtml(error.last_seen_at)}</dd>
    </div>
  </dl>`
}

import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { csrfField } from '#platform/pages/page.ts'
import { momentAsHtml } from '#platform/pages/moments.ts'
import { type ErrorWhole, pageOf } from './entity.ts'
import { numbersOf } from './list-page.ts'

type Whole = Static<typeof ErrorWhole>
type Event = NonNullable<Whole['latest_event']>
type Exception = Event['exceptions'][number]
type Frame = Exception['frames'][number]

interface ErrorView {
  readonly project: { readonly id: number; readonly full_path: string }
  readonly error: Whole
  /** Whether the visitor may say what becomes of it. */
  readonly mayChange: boolean
}

/** An error with the stack trace of its latest event. */
export function errorPage(req: FastifyRequest, { project, error, mayChange }: ErrorView): Html {
  const { issue } = error
  return html`<p>
      <a href="${pageOf(project.id)}">Errors of <bdi>${project.full_path}</bdi></a>
    </p>
    <h1>${error.title}</h1>
    <p>
      <strong>${error.status}</strong>
      ${error.resolved_in_release !== null && html`in <code>${error.resolved_in_release}</code>`}
      ${error.reopened_at !== null && html`<span class="quiet">came back ${momentAsHtml(error.reopened_at)}</span>`}
      ${issue !== null && html`<a href="${issue.web_url}">Issue ${`#${issue.iid}`}</a>`}
    </p>
    ${numbersOf(error)} ${mayChange && actions(req, project.id, error)} ${whereAndWhy(error)}`
}

/** In which releases and environments an error was seen, and its latest event. */
export const whereAndWhy = ({ releases, environments, latest_event: event }: Whole): Html =>
  html`${places('Releases', releases)} ${places('Environments', environments)}
  ${event === null ? html`<p class="quiet">Its events were too old to be kept.</p>` : latest(event)}`

function actions(req: FastifyRequest, projectId: number, { id, status }: Whole): Html {
  const form = (to: string, verb: string, more?: Html) =>
    html`<form method="post" action="${pageOf(projectId, id)}">
      ${csrfField(req)}<input type="hidden" name="status" value="${to}" />${more}
      <button type="submit" class="secondary">${verb}</button>
    </form>`
  const inRelease = html`<div class="field">
    <label for="release">Release with the fix, if there is one</label>
    <input id="release" name="release" maxlength="250" />
  </div>`
  return html`${status !== 'resolved' && form('resolved', 'Resolve', inRelease)}
  ${status !== 'ignored' && form('ignored', 'Ignore')}
  ${status !== 'unresolved' && form('unresolved', 'Open again')}`
}

const places = (title: string, all: Whole['releases']): Html | false =>
  all.length > 0 &&
  html`<h2>${title}</h2>
    <ul>
      ${all.map(({ name, events_count }) => html`<li><code>${name}</code> ${events_count}</li>`)}
    </ul>`

function latest(event: Event): Html {
  return html`<h2>Latest event</h2>
    <p>
      ${momentAsHtml(event.occurred_at)} <code>${event.event_id}</code>
      ${event.sdk !== null && html`<span class="quiet">${event.sdk}</span>`}
    </p>
    ${event.message !== null && html`<pre class="lines" tabindex="0">${event.message}</pre>`}
    ${event.exceptions.toReversed().map(exception)} ${values('Tags', event.tags)}
    ${values('User', event.user)} ${values('Request', event.request)} ${values('Contexts', event.contexts)}
    ${values('More', event.extra)}
    ${
      event.breadcrumbs.length > 0 &&
      html`<h3>What happened before</h3>
        <pre class="lines" tabindex="0">
${event.breadcrumbs.map((crumb) => `${JSON.stringify(crumb)}\n`).join('')}</pre>`
    }`
}

function exception({ type, value, handled, frames }: Exception): Html {
  return html`<h3>${[type, value].filter((part) => part !== null).join(': ') || 'Calls'}</h3>
    ${handled === false && html`<p class="quiet">Nobody caught it.</p>`}
    <ol class="frames">
      ${frames.toReversed().map(call)}
    </ol>`
}

/** A call: the program's own are open, those of others closed. */
function call(frame: Frame): Html {
  const { function: name, filename, module, lineno, context_line } = frame
  const place = `${filename ?? module ?? 'unknown'}${lineno === null ? '' : `:${lineno}`}`
  const title = html`<code>${place}</code> ${name !== null && html`in <code>${name}</code>`}`
  if (context_line === null && frame.vars === null) return html`<li>${title}</li>`
  return html`<li>
    <details ${frame.in_app && html`open`}>
      <summary>${title}</summary>
      ${context_line !== null && source(frame, context_line)} ${values('Variables', frame.vars)}
    </details>
  </li>`
}

function source({ pre_context, post_context, lineno }: Frame, line: string): Html {
  const first = (lineno ?? pre_context.length + 1) - pre_context.length
  const before = pre_context.map((text, at) => `${first + at}  ${text}\n`).join('')
  const number = first + pre_context.length
  const after = post_context.map((text, at) => `\n${number + 1 + at}  ${text}`).join('')
  return html`<pre class="lines" tabindex="0">${before}<strong>${`${number}  ${line}`}</strong>${after}</pre>`
}

const values = (title: string, all: Readonly<Record<string, unknown>> | null): Html | false =>
  all !== null &&
  html`<h4>${title}</h4>
    <pre class="lines" tabindex="0">${JSON.stringify(all, null, 2)}</pre>`

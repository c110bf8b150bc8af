import type { Static } from 'typebox'
import { ErrorBrief, ErrorWhole } from '#monitoring/error-tracking/errors/entity.ts'
import { whereAndWhy } from '#monitoring/error-tracking/errors/error-page.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { pathIn } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { pageOf, projectHeader } from '../frame/project.ts'
import { rightsIn } from '../frame/rights.ts'
import type { Forms } from '../frame/forms.ts'
import type { View } from '../frame/show.ts'
import { facts } from '../items/facts.ts'
import { filterForm, given } from '../parts/filters.ts'
import { rows } from '../parts/rows.ts'
import { titled } from '../parts/words.ts'

const statuses = ['unresolved', 'resolved', 'ignored'] as const

interface Asked {
  readonly status?: string
  readonly query?: string
  readonly page: number
}

/** Errors that programs reported, the one seen last first. */
export async function errorList(api: Api, project: EitherProject, asked: Asked): Promise<View> {
  const query = { status: given(asked.status), query: given(asked.query) }
  const list = await api.list(ErrorBrief, path`/projects/${project.id}/error_tracking/errors`, {
    ...query,
    page: asked.page,
  })
  const here = pageOf(project, 'error_tracking')
  return {
    title: `Errors · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Errors'),
    body: html`<h1>Errors</h1>
      ${filterForm(here, [
        { name: 'status', label: 'Status', value: query.status ?? 'unresolved', options: statuses },
        { name: 'query', label: 'Title or place', value: query.query },
      ])}
      ${rows({
        list,
        page: asked.page,
        address: here,
        query,
        none:
          query.query === undefined && query.status === undefined
            ? 'No error waits for somebody. Programs report errors with a Sentry SDK and a key of this project.'
            : 'No error fits these filters.',
        row: (error) => errorRow(project, error),
      })}`,
  }
}

const SERIOUS: ReadonlySet<string> = new Set(['error', 'fatal'])

const levelMark = (level: string): Html =>
  html`<span class="ci ${SERIOUS.has(level) ? 'bad' : 'warns'}">${titled(level)}</span>`

const errorRow = (project: EitherProject, error: Static<typeof ErrorBrief>): Html =>
  html`<div>
      ${levelMark(error.level)}
      <a href="${pageOf(project, `error_tracking/${error.id}/details`)}"><strong>${error.title}</strong></a>
      <p class="quiet">
        ${error.culprit !== null && html`<code>${error.culprit}</code> · `}${error.events_count} events ·
        ${error.users_count} people
      </p>
    </div>
    <p class="quiet aside">${since(error.last_seen_at)}</p>`

/** An error with the stack trace of its latest event. */
export async function errorDetails(
  api: Api,
  forms: Forms,
  project: EitherProject,
  id: number,
): Promise<View> {
  const address = path`/projects/${project.id}`
  const [error, rights] = await Promise.all([
    api.get(ErrorWhole, `${address}${path`/error_tracking/errors/${id}`}`),
    rightsIn(api, address),
  ])
  const { issue, culprit, resolved_in_release: release, reopened_at } = error
  return {
    title: `${error.title} · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Errors'),
    body: html`<h1>${error.title}</h1>
      <p class="quiet">
        ${levelMark(error.level)} <span class="badge">${error.status}</span>
        ${release !== null && html`in <code>${release}</code>`}
        ${reopened_at !== null && html`came back ${since(reopened_at)}`}
      </p>
      ${rights.may('update_error') && whatBecomesOfIt(forms, error)}
      ${facts([
        ['Where', culprit === null ? undefined : html`<code>${culprit}</code>`],
        ['Events', html`${error.events_count}`],
        ['People', html`${error.users_count}`],
        ['First', since(error.first_seen_at)],
        ['Last', since(error.last_seen_at)],
        ['Issue', issue === null ? undefined : html`<a href="${pathIn(issue.web_url)}">#${issue.iid}</a>`],
      ])}
      ${whereAndWhy(error)}`,
  }
}

/** What is said when the status of an error is changed to each. */
export const errorSteps = {
  resolved: 'The error is resolved.',
  ignored: 'The error is ignored.',
  unresolved: 'The error is open again.',
} as const

const whatBecomesOfIt = (forms: Forms, { status, issue }: Static<typeof ErrorWhole>): Html =>
  html`<div class="actions">
    ${
      status !== 'resolved' &&
      forms.write({
        does: 'resolved',
        submit: 'Resolve',
        about: 'the error',
        opens: 'Resolve…',
        fields: [
          {
            name: 'resolved_in_release',
            label: 'Release with the fix',
            hint: 'Events of earlier ones open it no more. Empty: every event opens it again.',
          },
        ],
      })
    }
    ${status !== 'ignored' && forms.write({ does: 'ignored', submit: 'Ignore', about: 'the error', looks: 'secondary' })}
    ${status !== 'unresolved' && forms.write({ does: 'unresolved', submit: 'Open again', about: 'the error', looks: 'secondary' })}
    ${forms.write({
      does: 'link',
      submit: 'Link it',
      opens: issue === null ? 'Link an issue…' : 'Link another issue…',
      looks: 'secondary',
      fields: [
        {
          name: 'issue_iid',
          label: 'Number of the issue',
          is: 'number',
          value: issue?.iid,
          hint: 'Empty: none.',
          attributes: html`min="1"`,
        },
      ],
    })}
  </div>`

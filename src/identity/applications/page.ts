import type { FastifyRequest } from 'fastify'
import { html, type Html } from '#platform/http/html.ts'
import { fieldWriterFor, type Problems } from '#platform/pages/forms.ts'
import { pages } from '#platform/pages/links.ts'
import { csrfField } from '#platform/pages/page.ts'
import { question } from '#platform/pages/question.ts'
import { scopeChoices, scopesAsHtml } from '#platform/pages/scope-choices.ts'
import { secretShownOnce } from '#platform/pages/secret.ts'
import type { ApplicationRow, FreshApplication } from './entity.ts'

/** The form's initial or submitted values. */
export interface ApplicationFormValues {
  readonly problems: Problems
  readonly name: string
  readonly redirect_uri: string
  readonly scopes: readonly string[]
  readonly confidential: boolean
}

export const blank: ApplicationFormValues = {
  problems: {},
  name: '',
  redirect_uri: '',
  scopes: [],
  confidential: true,
}

/** The form filled in with an application's current values. */
export const formOf = ({
  name,
  redirect_uris,
  scopes,
  confidential,
}: ApplicationRow): ApplicationFormValues => ({
  problems: {},
  name,
  redirect_uri: redirect_uris.join('\n'),
  scopes,
  confidential,
})

interface ApplicationList {
  readonly applications: readonly ApplicationRow[]
  /** The id before which the next page starts, when there is one. */
  readonly next: number | undefined
  readonly form: ApplicationFormValues
}

/** The user's own applications, and the form that registers another. */
export function applicationsPage(req: FastifyRequest, { applications, next, form }: ApplicationList): Html {
  return html`<h1>Your applications</h1>
    <p>Programs that ask people to let them act in their name, by OAuth 2.0.</p>
    ${applications.length === 0 && html`<p class="quiet">There are none yet.</p>`}
    <ul class="cards">
      ${applications.map(
        ({ id, name, scopes, confidential }) =>
          html`<li class="card">
            <h2><a href="${pages.applications}/${id}">${name}</a></h2>
            ${scopesAsHtml(scopes)}
            <p class="quiet">${confidential ? 'Confidential' : 'Public'}</p>
          </li>`,
      )}
    </ul>
    ${next !== undefined && html`<p><a href="${pages.applications}?before=${next}">Older applications</a></p>`}
    <h2>New application</h2>
    ${formFor(req, form, pages.applications, 'Register the application')}`
}

interface Detailed {
  readonly form: ApplicationFormValues
  /** With its secret, when the secret was just made. */
  readonly fresh?: FreshApplication
}

/** One application: its client id, the form that changes it, and the actions that cannot be undone. */
export function applicationPage(
  req: FastifyRequest,
  { id, name, uid }: ApplicationRow,
  { form, fresh }: Detailed,
): Html {
  const path = `${pages.applications}/${id}`
  return html`<h1>${name}</h1>
    ${fresh && secretShownOnce({ title: html`The secret of <bdi>${name}</bdi>`, label: 'Client secret', secret: fresh.secret })}
    <p>Client id: <code>${uid}</code></p>
    ${formFor(req, form, path, 'Save the changes')}
    <h2>Renew or delete</h2>
    <div class="actions">
      ${question(req, {
        verb: 'Renew the secret',
        name,
        warning: 'The secret that it has stops working now. Tokens go on.',
        action: `${path}/renew_secret`,
      })}
      ${question(req, {
        verb: 'Delete',
        name,
        warning: 'Every token that it holds stops working now, whoever it acts for.',
        action: `${path}/delete`,
      })}
    </div>
    <p><a href="${pages.applications}">All your applications</a></p>`
}

function formFor(req: FastifyRequest, form: ApplicationFormValues, action: string, submit: string): Html {
  const { problems, name, redirect_uri, scopes: chosen, confidential } = form
  const field = fieldWriterFor(problems)
  return html`<form method="post" action="${action}">
    ${csrfField(req)}
    ${field({
      name: 'name',
      label: 'Name',
      hint: 'People see it when they are asked.',
      attributes: html`value="${name}" required maxlength="255" autocomplete="off"`,
    })}
    ${field({
      name: 'redirect_uri',
      label: 'Redirect URI',
      hint: 'Where people are sent back to, exactly; one on a line. https, a scheme of its own, or http on the own machine.',
      attributes: html`required rows="3" spellcheck="false"`,
      lines: redirect_uri,
    })}
    <fieldset>
      <legend>Kind</legend>
      <div class="choices">
        ${kind('true', 'Confidential', 'A server that keeps its secret.', confidential)}
        ${kind('false', 'Public', 'An app on a phone, a page or a command: it can keep no secret.', !confidential)}
      </div>
    </fieldset>
    ${scopeChoices({ admin: req.user().admin, chosen, problems })}
    <p class="actions"><button type="submit">${submit}</button></p>
  </form>`
}

function kind(value: string, label: string, hint: string, checked: boolean): Html {
  return html`<div class="choice">
    <input
      type="radio"
      id="confidential-${value}"
      name="confidential"
      value="${value}"
      aria-describedby="confidential-${value}-hint"
      ${checked && html`checked`}
    />
    <div>
      <label for="confidential-${value}">${label}</label>
      <small id="confidential-${value}-hint">${hint}</small>
    </div>
  </div>`
}

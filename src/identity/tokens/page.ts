import type { FastifyRequest } from 'fastify'
import { type Html, html } from '#platform/http/html.ts'
import { daysAfter } from '#platform/http/time.ts'
import { fieldWriterFor, type Problems } from '#platform/pages/forms.ts'
import { pages } from '#platform/pages/links.ts'
import { dayAsHtml, momentAsHtml } from '#platform/pages/moments.ts'
import { csrfField } from '#platform/pages/page.ts'
import { question } from '#platform/pages/question.ts'
import { scopeChoices, scopesAsHtml } from '#platform/pages/scope-choices.ts'
import { secretShownOnce } from '#platform/pages/secret.ts'
import { feedTokenSection } from '#identity/feed-tokens/section.ts'
import type { FreshToken } from './create-token.ts'
import type { TokenRow } from './entity.ts'
import { lastDay, type TokenPolicy } from './expiry.ts'

/** The form's initial or submitted values. */
export interface TokenFormValues {
  readonly problems: Problems
  readonly name: string
  readonly description: string
  readonly scopes: readonly string[]
  /** Undefined to propose a day. */
  readonly expires_at: string | undefined
}

interface PageState {
  readonly tokens: {
    readonly active: readonly TokenRow[]
    /** The id before which the next page starts, when there is one. */
    readonly next: number | undefined
    readonly inactive: readonly TokenRow[]
  }
  readonly form: TokenFormValues
  readonly fresh: FreshToken | undefined
  readonly today: string
  readonly policy: TokenPolicy
  /** Undefined while there is none. */
  readonly feedToken: string | undefined
}

/** The user's own access tokens: the one just made, the active ones, the form for another, and the inactive ones. */
export function tokensPage(
  req: FastifyRequest,
  { tokens: { active, next, inactive }, form, fresh, today, policy, feedToken }: PageState,
): Html {
  return html`<h1>Access tokens</h1>
    ${fresh && secretShownOnce({ title: html`Your token <bdi>${fresh.name}</bdi>`, label: 'Token', secret: fresh.secret })}
    <p>
      A program that sends one of these tokens acts in your name. Give each program its own, with the least
      that it needs.
    </p>
    <h2>Active tokens</h2>
    ${
      active.length === 0
        ? html`<p class="quiet">There are none yet.</p>`
        : html`<ul class="cards">
            ${active.map((token) => card(req, token))}
          </ul>`
    }
    ${next !== undefined && html`<p><a href="${pages.tokens}?before=${next}">Older tokens</a></p>`}
    <h2 id="new">New token</h2>
    ${newToken(req, form, today, policy)} ${feedTokenSection(req, feedToken)}
    ${inactive.length > 0 && history(inactive)}`
}

function card(req: FastifyRequest, token: TokenRow): Html {
  const { id, name, description, scopes, created_at, last_used_at, expires_at } = token
  return html`<li class="card">
    <h3>${name}</h3>
    ${description !== null && description !== '' && html`<p>${description}</p>`} ${scopesAsHtml(scopes)}
    <dl>
      <div>
        <dt>Made</dt>
        <dd>${momentAsHtml(created_at)}</dd>
      </div>
      <div>
        <dt>Last used</dt>
        <dd>${last_used_at === null ? 'never' : momentAsHtml(last_used_at)}</dd>
      </div>
      <div>
        <dt>Works until</dt>
        <dd>${expires_at === null ? 'revoked' : dayAsHtml(expires_at)}</dd>
      </div>
    </dl>
    <div class="actions">
      ${question(req, {
        verb: 'Rotate',
        name,
        warning: 'A new secret takes the place of this one, which stops working now.',
        action: `${pages.tokens}/${id}/rotate`,
      })}
      ${question(req, {
        verb: 'Revoke',
        name,
        warning: 'Whatever uses this token stops working now.',
        action: `${pages.tokens}/${id}/revoke`,
      })}
    </div>
  </li>`
}

/** The default lifetime in days. */
const PROPOSED = 30

function newToken(req: FastifyRequest, form: TokenFormValues, today: string, policy: TokenPolicy): Html {
  const field = fieldWriterFor(form.problems)
  const last = lastDay(policy, today)
  const month = daysAfter(today, PROPOSED)
  const proposed = last !== null && last < month ? last : month
  const limit = last === null ? 'Without one it works until it is revoked.' : `At the latest ${last}.`
  return html`<form method="post" action="${pages.tokens}">
    ${csrfField(req)}
    ${field({
      name: 'name',
      label: 'Name',
      hint: 'What it is for, such as the name of the program.',
      attributes: html`value="${form.name}" required maxlength="255" autocomplete="off"`,
    })}
    ${field({
      name: 'description',
      label: 'Description (optional)',
      attributes: html`value="${form.description}" maxlength="255" autocomplete="off"`,
    })}
    ${field({
      name: 'expires_at',
      label: 'Expiry date',
      hint: `The token stops working when this day begins, in UTC. ${limit}`,
      attributes: html`type="date" value="${form.expires_at ?? proposed}" min="${daysAfter(today, 1)}"
      ${last !== null && html`max="${last}"`}`,
    })}
    ${scopeChoices({ admin: req.user().admin, chosen: form.scopes, problems: form.problems })}
    <p class="actions"><button type="submit">Make the token</button></p>
  </form>`
}

function history(inactive: readonly TokenRow[]): Html {
  return html`<h2>Tokens that work no more</h2>
    <ul class="cards">
      ${inactive.map(
        ({ name, scopes, revoked_at, expires_at }) =>
          html`<li class="card">
            <h3>${name}</h3>
            ${scopesAsHtml(scopes)}
            <p class="quiet">
              ${revoked_at === null ? html`Expired ${dayAsHtml(expires_at ?? '')}` : html`Revoked ${momentAsHtml(revoked_at)}`}
            </p>
          </li>`,
      )}
    </ul>`
}

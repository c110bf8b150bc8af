import type { FastifyRequest } from 'fastify'
import { scopeMeanings } from '#access/scope-meanings.ts'
import { administratorScopes, scopes } from '#access/scopes.ts'
import { type Html, html } from '#http/html.ts'
import { daysAfter } from '#http/time.ts'
import { describedBy, fieldsOf, type Problems, problemsOf } from '#pages/forms.ts'
import { pages } from '#pages/links.ts'
import { shownDay, shownMoment } from '#pages/moments.ts'
import { csrfField } from '#pages/page.ts'
import type { FreshToken } from './create-token.ts'
import type { TokenRow } from './entity.ts'
import { lastDay, type TokenPolicy } from './expiry.ts'

/** What the form begins with, or was sent with. */
export interface Form {
  readonly problems: Problems
  readonly name: string
  readonly description: string
  readonly scopes: readonly string[]
  /** Undefined to propose a day. */
  readonly expires_at: string | undefined
}

interface Shown {
  readonly tokens: {
    readonly active: readonly TokenRow[]
    /** The id to continue before, when there are more. */
    readonly next: number | undefined
    readonly inactive: readonly TokenRow[]
  }
  readonly form: Form
  readonly notice: string | undefined
  readonly fresh: FreshToken | undefined
  readonly today: string
  readonly policy: TokenPolicy
}

/** One's own access tokens: what was just made, those that work, the form for another, those that worked. */
export function tokensPage(
  req: FastifyRequest,
  { tokens: { active, next, inactive }, form, notice, fresh, today, policy }: Shown,
): Html {
  return html`<h1>Access tokens</h1>
    ${notice !== undefined && html`<p class="notice" role="status">${notice}</p>`} ${fresh && secretOf(fresh)}
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
    ${newToken(req, form, today, policy)} ${inactive.length > 0 && history(inactive)}`
}

function secretOf({ name, secret }: FreshToken): Html {
  return html`<section class="notice" aria-labelledby="fresh">
    <h2 id="fresh">Your token <bdi>${name}</bdi></h2>
    <p>Copy it now: it is shown this once and kept nowhere.</p>
    <div class="secret">
      <div class="field">
        <label for="secret">Token</label>
        <input id="secret" value="${secret}" readonly autocomplete="off" spellcheck="false" autofocus />
      </div>
      <button type="button" data-copies="secret" data-says="copied" hidden>Copy</button>
    </div>
    <p id="copied" role="status"></p>
  </section>`
}

function card(req: FastifyRequest, token: TokenRow): Html {
  const { id, name, description, scopes, created_at, last_used_at, expires_at } = token
  return html`<li class="card">
    <h3>${name}</h3>
    ${description !== null && description !== '' && html`<p>${description}</p>`}
    <p>${scopes.map((scope) => html`<code>${scope}</code> `)}</p>
    <dl>
      <div>
        <dt>Made</dt>
        <dd>${shownMoment(created_at)}</dd>
      </div>
      <div>
        <dt>Last used</dt>
        <dd>${last_used_at === null ? 'never' : shownMoment(last_used_at)}</dd>
      </div>
      <div>
        <dt>Works until</dt>
        <dd>${expires_at === null ? 'revoked' : shownDay(expires_at)}</dd>
      </div>
    </dl>
    <div class="actions">
      ${question(req, { id, name, verb: 'rotate', title: 'Rotate', warning: 'A new secret takes the place of this one, which stops working now.' })}
      ${question(req, { id, name, verb: 'revoke', title: 'Revoke', warning: 'Whatever uses this token stops working now.' })}
    </div>
  </li>`
}

interface Question {
  readonly id: number
  readonly name: string
  readonly verb: 'rotate' | 'revoke'
  readonly title: string
  readonly warning: string
}

/** Asks again before what cannot be undone. */
function question(req: FastifyRequest, { id, name, verb, title, warning }: Question): Html {
  const which = html`<span class="unseen">${name}</span>`
  return html`<details class="question">
    <summary class="button">${title}… ${which}</summary>
    <form method="post" action="${pages.tokens}/${id}/${verb}">
      ${csrfField(req)}
      <p>${warning}</p>
      <button type="submit" class="danger">${title} ${which}</button>
    </form>
  </details>`
}

/** Days that a token lives unless another day is chosen. */
const PROPOSED = 30

function newToken(req: FastifyRequest, form: Form, today: string, policy: TokenPolicy): Html {
  const field = fieldsOf(form.problems)
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
      hint: `The day on which it stops working. ${limit}`,
      attributes: html`type="date" value="${form.expires_at ?? proposed}" min="${daysAfter(today, 1)}"
      ${last !== null && html`max="${last}"`}`,
    })}
    ${scopeChoices(req, form)}
    <p class="actions"><button type="submit">Make the token</button></p>
  </form>`
}

function scopeChoices(req: FastifyRequest, { problems, scopes: chosen }: Form): Html {
  const wrong = problems['scopes'] ?? []
  const focus = wrong.length > 0 && Object.keys(problems).length === 1
  const offered = scopes.filter((scope) => req.user().admin || !administratorScopes.includes(scope))
  return html`<fieldset ${describedBy('scopes', undefined, wrong)}>
    <legend>Scopes</legend>
    ${problemsOf('scopes', 'Scopes', wrong)}
    <div class="choices">
      ${offered.map(
        (scope, index) =>
          html`<div class="choice">
            <input
              type="checkbox"
              id="scope-${scope}"
              name="scopes[]"
              value="${scope}"
              aria-describedby="scope-${scope}-hint"
              ${chosen.includes(scope) && html`checked`}
              ${focus && index === 0 && html`autofocus`}
            />
            <div>
              <label for="scope-${scope}"><code>${scope}</code></label>
              <small id="scope-${scope}-hint">${scopeMeanings[scope]}</small>
            </div>
          </div>`,
      )}
    </div>
  </fieldset>`
}

function history(inactive: readonly TokenRow[]): Html {
  return html`<h2>Tokens that work no more</h2>
    <ul class="cards">
      ${inactive.map(
        ({ name, scopes, revoked_at, expires_at }) =>
          html`<li class="card">
            <h3>${name}</h3>
            <p>${scopes.map((scope) => html`<code>${scope}</code> `)}</p>
            <p class="quiet">
              ${revoked_at === null ? html`Expired ${shownDay(expires_at ?? '')}` : html`Revoked ${shownMoment(revoked_at)}`}
            </p>
          </li>`,
      )}
    </ul>`
}

import { scopeMeanings } from '#platform/access/scope-meanings.ts'
import { administratorScopes, isUsed, scopes } from '#platform/access/scopes.ts'
import { html, type Html } from '#platform/http/html.ts'
import { describedBy, type Problems, problemsOf } from './forms.ts'

interface Choice {
  /** Whether the scopes of administrators are offered, too. */
  readonly admin: boolean
  readonly chosen: readonly string[]
  readonly problems: Problems
}

/** The fields `scopes[]`: what a token or an application may do, each with an explanation. */
export function scopeChoices({ admin, chosen, problems }: Choice): Html {
  const wrong = problems['scopes'] ?? []
  const focus = wrong.length > 0 && Object.keys(problems).length === 1
  const offered = scopes
    .filter((scope) => isUsed(scope) || chosen.includes(scope))
    .filter((scope) => admin || !administratorScopes.includes(scope))
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

/** The scopes of something in a list. */
export function scopesAsHtml(scopes: readonly string[]): Html {
  return html`<p>${scopes.map((scope) => html`<code>${scope}</code> `)}</p>`
}

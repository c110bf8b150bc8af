import { scopeMeanings } from '#platform/access/scope-meanings.ts'
import { isScope } from '#platform/access/scopes.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { ApplicationWithOwner } from './queries.ts'

/** The consent question: which application asks, whose it is, and what it could do. */
export function question(application: ApplicationWithOwner, scopes: readonly string[]): Html {
  return html`<h1>Authorize <bdi>${application.name}</bdi>?</h1>
    <p>${ownerOf(application)} It asks for permission to act for you:</p>
    <ul class="scopes">
      ${scopes.map((scope) => html`<li>${isScope(scope) ? scopeMeanings[scope] : scope} <code>${scope}</code></li>`)}
    </ul>`
}

function ownerOf({ owner_name, owner_username }: ApplicationWithOwner): Html {
  return owner_username === null
    ? html`This application was registered by the administrators of this instance.`
    : html`This application belongs to <bdi>${owner_name ?? ''}</bdi> (@${owner_username}).`
}

/** The buttons that allow and deny. */
export const decisions = html`<p class="actions">
  <button type="submit" name="decision" value="authorize">Authorize</button>
  <button type="submit" name="decision" value="deny" class="secondary">Deny</button>
</p>`

/** Hidden fields that pass parameters on to the next request. */
export function hiddenFields(values: Readonly<Record<string, string | undefined>>): Html {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return html`${given.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}`
}

import type { FastifyRequest } from 'fastify'
import { type Html, html } from '#platform/http/html.ts'
import { pages } from '#platform/pages/links.ts'
import { csrfField } from '#platform/pages/page.ts'
import { question } from '#platform/pages/question.ts'

/** Where a form makes or resets the feed token. */
export const RESET = `${pages.tokens}/feed/reset`

/** The feed token on the page of access tokens. @param token undefined while there is none */
export function feedTokenSection(req: FastifyRequest, token: string | undefined): Html {
  return html`<h2 id="feed">Feed token</h2>
    <p>
      A program that reads feeds for you sends it in the address: <code>?feed_token=…</code>. Whoever has it
      reads in feeds what you may see, and can do nothing else with it.
    </p>
    ${
      token === undefined
        ? html`<form method="post" action="${RESET}">
            ${csrfField(req)}
            <p class="actions"><button type="submit" class="secondary">Make a feed token</button></p>
          </form>`
        : html`<div class="field">
              <label for="feed-token">Feed token</label>
              <input id="feed-token" value="${token}" readonly autocomplete="off" spellcheck="false" />
            </div>
            <div class="actions">
              ${question(req, {
                verb: 'Reset',
                name: 'feed token',
                warning: 'A new one takes its place. Feeds that you read with this one stop working now.',
                action: RESET,
              })}
            </div>`
    }`
}

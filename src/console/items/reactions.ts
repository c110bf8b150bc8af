import type { Static } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { charactersOfEmoji } from '#planning/award-emoji/emoji.ts'
import { AwardEmoji } from '#planning/award-emoji/entity.ts'
import type { Api } from '../frame/api.ts'

type Award = Static<typeof AwardEmoji>

/** Reactions that a page counts. */
const MOST = 100

/** The reactions to something; none where the visitor may not see them. @param address its path in the API */
export const reactionsTo = async (api: Api, address: string): Promise<readonly Award[]> =>
  (await api.findList(AwardEmoji, `${address}/award_emoji`, { per_page: MOST }))?.items ?? []

/** How often each reaction was given, and by whom. */
export function reactions(awards: readonly Award[]): Html | undefined {
  if (awards.length === 0) return undefined
  const byName = Map.groupBy(awards, ({ name }) => name)
  return html`<ul class="reactions" aria-label="Reactions">
    ${[...byName].map(
      ([name, given]) =>
        html`<li title="${given.map(({ user }) => user.username).join(', ')}">
          <span aria-hidden="true">${charactersOfEmoji(name) ?? `:${name}:`}</span>
          <span class="unseen">${name.replaceAll('_', ' ')}:</span> ${given.length}
        </li>`,
    )}
  </ul>`
}

import type { Static } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { charactersOfEmoji } from '#planning/award-emoji/emoji.ts'
import { AwardEmoji } from '#planning/award-emoji/entity.ts'
import type { NoteReaction } from '#planning/notes/entity.ts'
import type { Api } from '../frame/api.ts'

type Reaction = Static<typeof NoteReaction>

/** Reactions that a page counts. */
const MOST = 100

/** The reactions to something; none where the visitor may not see them. @param address its path in the API */
export async function reactionsTo(api: Api, address: string): Promise<readonly Reaction[]> {
  const awards = await api.findList(AwardEmoji, `${address}/award_emoji`, { per_page: MOST })
  const byName = Map.groupBy(awards?.items ?? [], ({ name }) => name)
  return [...byName].map(([name, given]) => ({
    name,
    count: given.length,
    usernames: given.map(({ user }) => user.username),
  }))
}

/** How often each reaction was given, and by whom. */
export function reactions(given: readonly Reaction[]): Html | undefined {
  if (given.length === 0) return undefined
  return html`<ul class="reactions" aria-label="Reactions">
    ${given.map(
      ({ name, count, usernames }) =>
        html`<li title="${usernames.join(', ')}${usernames.length < count && ', …'}">
          <span aria-hidden="true">${charactersOfEmoji(name) ?? `:${name}:`}</span>
          <span class="unseen">${name.replaceAll('_', ' ')}:</span> ${count}
        </li>`,
    )}
  </ul>`
}

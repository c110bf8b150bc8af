import type { Static } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { charactersOfEmoji } from '#planning/award-emoji/emoji.ts'
import { AwardEmoji } from '#planning/award-emoji/entity.ts'
import type { NoteReaction } from '#planning/notes/entity.ts'
import type { Action } from '../frame/action.ts'
import { type Api, path } from '../frame/api.ts'
import { DOES, type Forms } from '../frame/forms.ts'

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

/** How somebody reacts to something. */
export interface Reacting {
  readonly forms: Forms
  /** The name of the action, without that of the reaction. */
  readonly does: string
}

/** Reactions that are offered. Others are given by a comment that is an emoji alone. */
const OFFERED = ['thumbsup', 'thumbsdown', 'smile', 'tada', 'thinking', 'heart', 'rocket', 'eyes']

/**
 * How often each reaction was given, and by whom.
 * @param react how the visitor gives one, or takes theirs back; undefined for those who may not
 */
export function reactions(given: readonly Reaction[], react?: Reacting): Html | undefined {
  if (react === undefined) return given.length === 0 ? undefined : counts(given.map(reaction))
  const button = (name: string, shown: Html) =>
    html`<button type="submit" name="${DOES}" value="${react.does}/${name}" class="plain">${shown}</button>`
  const others = OFFERED.filter((name) => !given.some((one) => one.name === name))
  return react.forms.buttons(
    html`${given.length > 0 && counts(given.map((one) => button(one.name, reaction(one))))}
      <details class="react">
        <summary title="React"><span aria-hidden="true">☺</span><span class="unseen">React</span></summary>
        ${others.map((name) => button(name, emoji(name)))}
      </details>`,
  )
}

const counts = (all: readonly Html[]): Html =>
  html`<ul class="reactions" aria-label="Reactions">
    ${all.map((one) => html`<li>${one}</li>`)}
  </ul>`

const reaction = ({ name, count, usernames }: Reaction): Html =>
  html`<span title="${usernames.join(', ')}${usernames.length < count && ', …'}"
    >${emoji(name)} ${count}</span
  >`

const emoji = (name: string): Html =>
  html`<span aria-hidden="true">${charactersOfEmoji(name) ?? `:${name}:`}</span
    ><span class="unseen">${name.replaceAll('_', ' ')}</span>`

/** Gives a reaction, or takes it back if the visitor has given it. @param address of what is reacted to, in the API */
export const toggles =
  (address: string, name: string, me: number | undefined): Action =>
  async (api) => {
    const awards = await api.list(AwardEmoji, `${address}/award_emoji`, { per_page: MOST })
    const own = awards.items.find((one) => one.name === name && one.user.id === me)
    if (own === undefined) await api.send('POST', `${address}/award_emoji`, { name })
    else await api.send('DELETE', `${address}${path`/award_emoji/${own.id}`}`)
    return { says: own === undefined ? 'You reacted.' : 'Your reaction is taken back.', to: undefined }
  }

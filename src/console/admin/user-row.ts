import type { Static } from 'typebox'
import type { UserListed } from '#identity/users/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { since } from '../frame/moments.ts'
import { inWords } from '../parts/words.ts'

type Listed = Static<typeof UserListed>

/** The address of the page of somebody for administrators. */
export const userPath = ({ username }: Pick<Listed, 'username'>): string => `/admin/users/${username}`

/** Somebody in a list for administrators. */
export const userRow = (user: Listed): Html =>
  html`<div>
      <a href="${userPath(user)}"><strong>${user.name}</strong></a>
      <span class="quiet">@${user.username}</span> ${userBadges(user)}
      <p class="quiet one-line">${user.email}</p>
    </div>
    <p class="quiet aside">${user.created_at !== undefined && html`since ${since(user.created_at)}`}</p>`

export const userBadges = ({ state, is_admin, external, bot }: Listed): Html =>
  html`${state !== 'active' && html`<span class="badge">${inWords(state)}</span>`}
  ${is_admin === true && html`<span class="badge">administrator</span>`}
  ${external === true && html`<span class="badge">external</span>`}
  ${bot === true && html`<span class="badge">bot</span>`}`

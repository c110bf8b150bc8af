import type { Static } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import type { Badge } from '#tenancy/badges/entity.ts'
import { pathIn } from '../frame/lists.ts'

/** The badges that a page shows. */
export const MOST_BADGES = 20

type Shown = Pick<Static<typeof Badge>, 'name' | 'rendered_link_url' | 'rendered_image_url'>

/**
 * Badges with links. Pictures of other servers are not loaded, which would learn who looks at the page: their names stand for them.
 * @param site the address of this instance
 */
export const badgeLinks = (badges: readonly Shown[], site: string): Html | undefined =>
  badges.length === 0
    ? undefined
    : html`<p class="badges">${badges.map((badge) => html`${badgeLink(badge, site)} `)}</p>`

export function badgeLink({ name, rendered_link_url, rendered_image_url }: Shown, site: string): Html {
  const title = name ?? hostOf(rendered_link_url)
  const isOurs = rendered_image_url.startsWith(`${site}/`)
  return html`<a href="${rendered_link_url}" rel="nofollow noopener"
    >${
      isOurs
        ? html`<img src="${pathIn(rendered_image_url)}" alt="${title}" height="20" />`
        : html`<span class="badge">${title}</span>`
    }</a
  >`
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

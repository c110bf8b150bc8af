import { parseCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import { type BroadcastMessageRow, isActive } from '#administration/broadcast-messages/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { csrfField } from '#platform/pages/page.ts'
import { Member } from '#tenancy/members/entity.ts'
import { Api, path } from '../frame/api.ts'
import { fits } from './fits.ts'

/** Messages above a page. Older ones wait until one of these ends or is hidden. */
const MOST_SHOWN = 5

/** The parameters of pages that name a place, and what it may be. */
const PLACES = [
  ['project', ['projects']],
  ['group', ['groups']],
  ['name', ['projects', 'groups']],
  ['container', ['projects', 'groups']],
] as const

/** The name of the cookie by which somebody has hidden a message. */
export const hidingCookie = (id: number): string => `hide_broadcast_message_${id}`

/** The messages for whoever looks at a page. They are in memory, and each is rendered once. */
export async function broadcastsFor(request: FastifyRequest): Promise<Html> {
  const { broadcastMessages, clock } = request.server.services
  const all = broadcastMessages.current()
  if (all.length === 0) return html``
  const now = clock.now()
  const cookies = parseCookie(request.headers.cookie ?? '')
  const [address = ''] = request.originalUrl.split('?', 1)
  const here = all.filter(
    (message) =>
      isActive(message, now) &&
      (message.target_path === null || fits(message.target_path, address)) &&
      !(message.dismissable && hidingCookie(message.id) in cookies),
  )
  if (here.length === 0) return html``
  const api = new Api(request).besides
  const forRoles = here.some(({ target_access_levels: levels }) => levels.length > 0)
  const role = forRoles ? await roleAt(api, request) : undefined
  const shown = here.filter(
    ({ target_access_levels: levels }) =>
      levels.length === 0 || (role !== undefined && levels.includes(role)),
  )
  const written = await Promise.all(
    shown
      .slice(0, MOST_SHOWN)
      // Banners are across the page, and small boxes below them.
      .toSorted((a, b) => a.broadcast_type.localeCompare(b.broadcast_type))
      .map(async (message) => write(request, message, await api.renderForAll(message.message))),
  )
  if (written.length === 0) return html``
  return html`<aside aria-label="Messages of the administrators">${written}</aside>`
}

/** The role of the visitor in the project or group that a page is about. */
async function roleAt(api: Api, { identity, params }: FastifyRequest): Promise<number | undefined> {
  if (identity === undefined || typeof params !== 'object' || params === null) return undefined
  const named = new Map<string, unknown>(Object.entries(params))
  const asked = PLACES.flatMap(([parameter, kinds]) => {
    const name = named.get(parameter)
    if (typeof name !== 'string') return []
    return kinds.map((all) => `/${all}${path`/${name}/members/all/${identity.user.id}`}`)
  })
  const found = await Promise.all(asked.map((address) => api.find(Member, address)))
  return found.find((member) => member !== undefined)?.access_level
}

function write(request: FastifyRequest, message: BroadcastMessageRow, text: Html): Html {
  const { id, broadcast_type, theme, dismissable } = message
  const back = request.method === 'GET' ? request.originalUrl : '/'
  return html`<div class="broadcast ${broadcast_type} ${theme}">
    <div class="text">${text}</div>
    ${
      dismissable &&
      html`<form method="post" action="/-/broadcast_messages/${id}/dismiss">
        ${csrfField(request)} <input type="hidden" name="return_to" value="${back}" />
        <button type="submit" class="secondary">Hide <span class="unseen">this message</span></button>
      </form>`
    }
  </div>`
}

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type TObject, Type } from 'typebox'
import { html } from '#platform/http/html.ts'
import { notFound } from '#platform/refusals.ts'
import { type FormPage, formPage } from '../frame/form-page.ts'
import { type Area, placeHeader } from '../frame/place.ts'
import { settingsAreas, settingsPath } from './settings/areas.ts'

/** The first page of the area. */
export const ADMIN = '/admin'

/** What an address has that names nothing. */
export const Nothing = Type.Object({})

const area = (title: string, parts: Readonly<Record<string, string>>): Area => ({
  title,
  parts: Object.entries(parts).map(([part, word]) => ({ title: part, address: `${ADMIN}${word}` })),
})

/** What administrators have pages of. */
const areas: readonly Area[] = [
  area('Overview', { Overview: '', Messages: '/broadcast_messages', License: '/license' }),
  area('People and places', { Users: '/users', Groups: '/groups', Projects: '/projects' }),
  area('Operation', {
    Health: '/health_check',
    'Failed jobs': '/background_jobs',
    Runners: '/runners',
    Storages: '/repository_storages',
    'Feature flags': '/feature_flags',
  }),
  area('Watching', { 'Audit events': '/audit_logs', 'Spam log': '/spam_logs' }),
  area('Settings', Object.fromEntries(settingsAreas.map(({ title, word }) => [title, settingsPath(word)]))),
]

/** A page of the area. Everybody else is told that it is not there. @param here the title of its link */
export function adminPage<P extends TObject, Q extends TObject>(
  app: FastifyInstance,
  address: string,
  here: string,
  {
    show,
    actions = () => ({}),
    ...page
  }: Omit<FormPage<P, Q>, 'who' | 'actions'> & Partial<Pick<FormPage<P, Q>, 'actions'>>,
): void {
  formPage(app, `${ADMIN}${address}`, {
    ...page,
    who: 'signed in',
    async show(visit) {
      assertAdministrator(visit.request)
      const view = await show(visit)
      const where = html`<a href="${ADMIN}"><strong>Administration</strong></a>`
      return {
        ...view,
        title: `${view.title} · Administration`,
        place: placeHeader('Administration', where, areas, here),
      }
    },
    actions(visit) {
      assertAdministrator(visit.request)
      return actions(visit)
    },
  })
}

/** @throws 404 */
function assertAdministrator({ identity }: FastifyRequest): void {
  if (identity?.user.admin !== true) throw notFound()
}

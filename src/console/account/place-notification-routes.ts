import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { NotificationSettings } from '#activity/notification-settings/entity.ts'
import { html } from '#platform/http/html.ts'
import { pages } from '#platform/pages/links.ts'
import { asks } from '../frame/action.ts'
import { OfContainer, projectsAndGroups } from '../frame/container.ts'
import { formPage } from '../frame/form-page.ts'
import { eventsField, levelField, withEvents } from './notification-fields.ts'

/** What somebody is told of in a project or group. */
export const placeNotificationPages: FastifyPluginAsyncTypebox = async (app) => {
  for (const { at, open } of projectsAndGroups)
    formPage(app, `${at}/notifications`, {
      who: 'signed in',
      params: Type.Object(OfContainer),
      querystring: Type.Object({}),
      async show({ request, api, params, forms }) {
        const container = await open(api, request, params.container)
        const { kind, api: address, title, firstHeader } = container
        const { level, events } = await api.get(NotificationSettings, `${address}/notification_settings`)
        const inherited =
          kind === 'project' ? 'As in its group, or everywhere' : 'As in the group above, or everywhere'
        return {
          title: `Notifications · ${title}`,
          place: firstHeader(),
          body: html`<h1>Notifications</h1>
            <p>
              What you are told of here.
              <a href="${pages.notifications}">Your settings for everywhere</a> say where mails go.
            </p>
            ${forms.write({
              does: 'save',
              submit: 'Save',
              about: 'your notification settings here',
              fields: [levelField(level, inherited), ...(events === undefined ? [] : [eventsField(events)])],
            })}`,
        }
      },
      async actions({ request, api, params }) {
        const container = await open(api, request, params.container)
        return {
          save: () =>
            withEvents(
              asks({
                method: 'PUT',
                path: `${container.api}/notification_settings`,
                says: 'Your notification settings here are saved.',
              }),
            ),
        }
      },
    })
}

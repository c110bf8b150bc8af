import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { GlobalNotificationSettings } from '#activity/notification-settings/entity.ts'
import { Email } from '#identity/emails/entity.ts'
import { UserOfMine } from '#identity/users/entity.ts'
import { html } from '#platform/http/html.ts'
import { pages } from '#platform/pages/links.ts'
import { Group } from '#tenancy/groups/entity.ts'
import { eitherProjectEntity } from '#tenancy/projects/entity.ts'
import { asks } from '../frame/action.ts'
import { formPage } from '../frame/form-page.ts'
import { pageOf } from '../frame/project.ts'
import { section } from '../settings/sections.ts'
import { eventsField, levelField, withEvents } from './notification-fields.ts'

/** Projects and groups that lead to their own settings. */
const FEW = 20

/** Addresses that are offered. */
const MOST = 100

/** What somebody is told of everywhere. */
export const notificationPages: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, pages.notifications, {
    who: 'signed in',
    params: Type.Object({}),
    querystring: Type.Object({}),
    async show({ api, forms }) {
      const [settings, user, emails, projects, groups] = await Promise.all([
        api.get(GlobalNotificationSettings, '/notification_settings'),
        api.get(UserOfMine, '/user'),
        api.list(Email, '/user/emails', { per_page: MOST }),
        api.list(eitherProjectEntity(), '/projects', {
          membership: true,
          simple: true,
          order_by: 'last_activity_at',
          per_page: FEW,
        }),
        api.list(Group, '/groups', { min_access_level: 10, per_page: FEW }),
      ])
      const { level, notification_email, notified_of_own_activity, events } = settings
      const confirmed = emails.items.filter(({ confirmed_at }) => confirmed_at !== null)
      const addresses = [user.email, ...confirmed.map(({ email }) => email)]
      const places = [
        ...groups.items.map(({ full_path, full_name }) => ({
          title: full_name,
          address: `/groups/${full_path}/-/notifications`,
        })),
        ...projects.items.map((project) => ({
          title: project.name_with_namespace,
          address: pageOf(project, 'notifications'),
        })),
      ]
      return {
        title: 'Notifications',
        ofAccount: true,
        body: html`<h1>Notifications</h1>
          ${forms.write({
            does: 'save',
            submit: 'Save',
            about: 'your notification settings',
            fields: [
              levelField(level),
              ...(events === undefined ? [] : [eventsField(events)]),
              {
                name: 'notification_email',
                label: 'Mails go to',
                is: 'choice',
                value: notification_email,
                options: addresses.map((value) => ({ value, label: value })),
              },
              {
                name: 'notified_of_own_activity',
                label: 'Tell me of what I do myself, too',
                is: 'check',
                value: notified_of_own_activity,
              },
            ],
          })}
          ${section({
            title: 'In your groups and projects',
            about:
              'Each can have a level of its own. So can those in which you are no member: their first pages lead there.',
            rows: places.map(({ title, address }) => html`<a href="${address}">${title}</a>`),
            none: 'You are a member of none.',
          })}
          ${
            (projects.next ?? groups.next) !== undefined &&
            html`<p class="quiet">Those of the latest ${FEW} are shown.</p>`
          }`,
      }
    },
    actions: () => ({
      save: () =>
        withEvents(
          asks({
            method: 'PUT',
            path: '/notification_settings',
            says: 'Your notification settings are saved.',
          }),
        ),
    }),
  })
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { UserOfMine, UserStatus } from '#identity/users/entity.ts'
import { html } from '#platform/http/html.ts'
import { pages } from '#platform/pages/links.ts'
import { asks } from '../frame/action.ts'
import { formPage } from '../frame/form-page.ts'
import { pathIn } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { emptyAsNull, withoutEmpty } from '../settings/common-fields.ts'
import { profileFields, statusFields } from './profile-fields.ts'

/** What others read about somebody. */
export const profilePages: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, pages.profile, {
    who: 'signed in',
    params: Type.Object({}),
    querystring: Type.Object({}),
    async show({ api, forms }) {
      const [user, status] = await Promise.all([
        api.get(UserOfMine, '/user'),
        api.get(UserStatus, '/user/status'),
      ])
      const hasStatus = status.emoji !== null || status.availability === 'busy'
      return {
        title: 'Profile',
        ofAccount: true,
        body: html`<h1>Profile</h1>
          <p><a href="/${user.username}">What others see</a></p>
          ${forms.write({ does: 'save', submit: 'Save', about: 'your profile', changes: true, fields: profileFields(user) })}
          <h2>Status</h2>
          <p class="quiet">
            Others see it beside your name.
            ${status.clear_status_at !== null && html`It ends ${since(status.clear_status_at)}.`}
          </p>
          ${forms.write({ does: 'set-status', submit: 'Set the status', fields: statusFields(status) })}
          ${hasStatus && forms.write({ does: 'clear-status', submit: 'Clear the status', looks: 'secondary' })}
          <h2>Picture</h2>
          ${
            user.avatar_url !== null &&
            html`<p>
              <img
                class="avatar"
                src="${pathIn(user.avatar_url)}"
                alt="Your picture"
                width="96"
                height="96"
              />
            </p>`
          }
          ${forms.write({
            does: 'set-avatar',
            submit: 'Use this picture',
            fields: [
              {
                name: 'avatar',
                label: 'New picture',
                is: 'file',
                required: true,
                hint: 'PNG, JPEG, GIF or WebP, at most 200 KB.',
                attributes: html`accept="image/*"`,
              },
            ],
          })}
          ${
            user.avatar_url !== null &&
            forms.write({
              does: 'remove-avatar',
              submit: 'Remove the picture',
              asks: 'Your name stands in its place.',
            })
          }`,
      }
    },
    actions: () => {
      const avatar = { method: 'PUT', path: '/user/avatar' } as const
      const status = { method: 'PUT', path: '/user/status' } as const
      return {
        save: () => asks({ method: 'PUT', path: '/user', says: 'Your profile is saved.' }),
        'set-status': () =>
          withoutEmpty(
            emptyAsNull(asks({ ...status, says: 'Your status is set.' }), 'emoji', 'message'),
            'clear_status_after',
          ),
        'clear-status': () => asks({ ...status, says: 'Your status is cleared.' }),
        'set-avatar': () => asks({ ...avatar, says: 'Your picture is set.' }),
        'remove-avatar': () => asks({ ...avatar, also: { avatar: null }, says: 'Your picture is removed.' }),
      }
    },
  })
}

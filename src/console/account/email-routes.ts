import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Email } from '#identity/emails/entity.ts'
import { UserOfMine } from '#identity/users/entity.ts'
import { html } from '#platform/http/html.ts'
import { pages } from '#platform/pages/links.ts'
import { asks } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import { formPage } from '../frame/form-page.ts'
import { ListParts } from '../frame/list-parts.ts'
import { pageNumber } from '../frame/lists.ts'
import { emptyAsNull } from '../settings/common-fields.ts'
import { section } from '../settings/sections.ts'

/** Further addresses that the page shows and offers. */
const MOST = 100

/** The mail addresses of somebody, and what each is for. */
export const emailPages: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, pages.emails, {
    who: 'signed in',
    params: Type.Object({}),
    querystring: Type.Object({ addresses: pageNumber }),
    async show({ api, query, forms }) {
      const [user, list] = await Promise.all([
        api.get(UserOfMine, '/user'),
        new ListParts(api, pages.emails, query).list('addresses', Email, '/user/emails', { per_page: MOST }),
      ])
      const confirmed = list.items.filter(({ confirmed_at }) => confirmed_at !== null)
      const options = [user.email, ...confirmed.map(({ email }) => email)].map((value) => ({
        value,
        label: value,
      }))
      return {
        title: 'Email addresses',
        ofAccount: true,
        body: html`<h1>Email addresses</h1>
          <p>Your first address is <strong>${user.email}</strong>. An administrator can change it.</p>
          ${section({
            title: 'Further addresses',
            about: 'Commits with a confirmed address are yours.',
            rows: list.items.map(
              ({ id, email, confirmed_at }) =>
                html`<div>
                    <strong>${email}</strong>
                    ${confirmed_at === null && html`<span class="badge">not confirmed yet</span>`}
                  </div>
                  ${forms.write({
                    does: `remove/${id}`,
                    submit: 'Remove',
                    about: email,
                    asks: 'It is yours no longer.',
                  })}`,
            ),
            none: 'You have no other address.',
            others: list.others,
            add: forms.write({
              does: 'add',
              submit: 'Add the address',
              opens: 'Add an address…',
              fields: [
                {
                  name: 'email',
                  label: 'Address',
                  is: 'email',
                  required: true,
                  hint: 'It counts once you have followed the link in the mail that we send there.',
                },
              ],
            }),
          })}
          <h2>What they are for</h2>
          ${forms.write({
            does: 'choose',
            submit: 'Save',
            about: 'what they are for',
            fields: [
              {
                name: 'public_email',
                label: 'Others see',
                is: 'choice',
                value: user.public_email,
                options: [{ value: '', label: 'None' }, ...options],
              },
              {
                name: 'commit_email',
                label: 'Commits that you make in the browser have',
                is: 'choice',
                value: user.commit_email,
                options,
              },
            ],
          })}
          <p class="quiet">
            Where mails go is one of your <a href="${pages.notifications}">notification settings</a>.
          </p>`,
      }
    },
    actions: () => ({
      add: () =>
        asks({
          method: 'POST',
          path: '/user/emails',
          says: 'The address is added. Follow the link in the mail that goes there.',
        }),
      remove: (id) =>
        asks({ method: 'DELETE', path: path`/user/emails/${id}`, says: 'The address is removed.' }),
      choose: () =>
        emptyAsNull(asks({ method: 'PUT', path: '/user', says: 'Your choice is saved.' }), 'public_email'),
    }),
  })
}

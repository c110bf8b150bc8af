import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { SpamLog } from '#planning/spam/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { Action } from '../frame/action.ts'
import type { Forms } from '../frame/forms.ts'
import { listOf } from '../frame/list-page.ts'
import { pageNumber } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { adminPage, Nothing } from './frame.ts'
import { userPath } from './user-row.ts'

/** Characters of a text that the list shows. */
const BEGINNING = 500

/** What was taken for spam. */
export const spamAdminPages: FastifyPluginAsyncTypebox = async (app) => {
  adminPage(app, '/spam_logs', 'Spam log', {
    params: Nothing,
    querystring: Type.Object({ page: pageNumber }),
    show: async ({ api, query, forms, request }) => ({
      title: 'Spam log',
      body: await listOf(
        api,
        '/admin/spam_logs',
        {
          title: 'Spam log',
          api: '/spam_logs',
          item: SpamLog,
          row: (log) => logRow(log, forms, request.user().id),
          none: 'Nothing was taken for spam. What looks for it is in the settings.',
        },
        query,
      ),
    }),
    actions: () => ({
      forget: (id) => deletes(id, false, 'It is gone from the list.'),
      'remove-author': (id) => deletes(id, true, 'The author is deleted, with everything that they wrote.'),
    }),
  })
}

const deletes =
  (id: string, removesUser: boolean, says: string): Action =>
  async (api) => {
    await api.send('DELETE', `/spam_logs/${encodeURIComponent(id)}?remove_user=${removesUser}`)
    return { says, to: undefined }
  }

function logRow(log: Static<typeof SpamLog>, forms: Forms, me: number): Html {
  const { id, user, title, description, noteable_type, source_ip, created_at, recaptcha_verified } = log
  const about = `${title ?? noteable_type} by ${user.username}`
  return html`<div>
      <strong>${title ?? noteable_type}</strong> <span class="badge">${noteable_type}</span>
      ${recaptcha_verified && html`<span class="badge">solved the CAPTCHA</span>`}
      <p class="quiet">
        <a href="${userPath(user)}">${user.name}</a>
        @${user.username}${source_ip !== null && html`, from ${source_ip}`}
      </p>
      <pre class="message">${description.slice(0, BEGINNING)}</pre>
    </div>
    <p class="quiet aside">${since(created_at)}</p>
    <div class="actions">
      ${forms.write({ does: `forget/${id}`, submit: 'Remove from the list', about, looks: 'secondary' })}
      ${
        user.id !== me &&
        forms.write({
          does: `remove-author/${id}`,
          submit: 'Delete the author',
          about,
          asks: 'The account goes for good, with everything that its owner wrote.',
        })
      }
    </div>`
}

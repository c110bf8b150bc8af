import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { SshKey } from '#identity/keys/entity.ts'
import { html } from '#platform/http/html.ts'
import { pages } from '#platform/pages/links.ts'
import { asks } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import { formPage } from '../frame/form-page.ts'
import { otherPages, pageNumber } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { withoutEmpty } from '../settings/common-fields.ts'
import { section } from '../settings/sections.ts'

const meanings = {
  auth_and_signing: 'Sign in and sign commits',
  auth: 'Sign in alone',
  signing: 'Sign commits alone',
} as const

/** The SSH keys of somebody. */
export const keyPages: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, pages.keys, {
    who: 'signed in',
    params: Type.Object({}),
    querystring: Type.Object({ page: pageNumber }),
    async show({ api, query: { page }, forms }) {
      const list = await api.list(SshKey, '/user/keys', { page })
      return {
        title: 'SSH keys',
        ofAccount: true,
        body: html`<h1>SSH keys</h1>
          ${section({
            title: 'Your keys',
            about: 'Programs that have the private part fetch, push and sign in your name.',
            rows: list.items.map(
              ({ id, title, key, usage_type, expires_at, last_used_at }) =>
                html`<div>
                    <strong>${title}</strong> <span class="badge">${meanings[usage_type]}</span>
                    <details>
                      <summary>Public key</summary>
                      <pre tabindex="0" aria-label="Public key ${title}">${key}</pre>
                    </details>
                    <p class="quiet">
                      ${last_used_at === null ? 'Never used' : html`Last used ${since(last_used_at)}`}
                      ${expires_at !== null && ` · until ${expires_at.slice(0, 10)}`}
                    </p>
                  </div>
                  ${forms.write({
                    does: `remove/${id}`,
                    submit: 'Remove',
                    about: title,
                    asks: 'It opens nothing any more, and commits that it signed are no longer verified.',
                  })}`,
            ),
            none: 'You have no key yet.',
            add: forms.write({
              does: 'add',
              submit: 'Add the key',
              opens: 'Add a key…',
              fields: [
                {
                  name: 'key',
                  label: 'Public key',
                  is: 'lines',
                  required: true,
                  hint: 'As in a .pub file: ssh-ed25519 AAAA…',
                },
                { name: 'title', label: 'Title', required: true, hint: 'Such as the computer that has it.' },
                {
                  name: 'usage_type',
                  label: 'For',
                  is: 'choice',
                  options: Object.entries(meanings).map(([value, label]) => ({ value, label })),
                },
                { name: 'expires_at', label: 'Until', is: 'date', hint: 'Empty: without end.' },
              ],
            }),
          })}
          ${otherPages(list, page, pages.keys, {})}`,
      }
    },
    actions: () => ({
      add: () =>
        withoutEmpty(asks({ method: 'POST', path: '/user/keys', says: 'The key is added.' }), 'expires_at'),
      remove: (id) => asks({ method: 'DELETE', path: path`/user/keys/${id}`, says: 'The key is removed.' }),
    }),
  })
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { UserPreferences } from '#identity/users/entity.ts'
import { html } from '#platform/http/html.ts'
import { pages } from '#platform/pages/links.ts'
import { asks } from '../frame/action.ts'
import { formPage } from '../frame/form-page.ts'

/** How pages are shown to somebody. */
export const preferencePages: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, pages.preferences, {
    who: 'signed in',
    params: Type.Object({}),
    querystring: Type.Object({}),
    async show({ api, forms }) {
      const preferences = await api.get(UserPreferences, '/user/preferences')
      return {
        title: 'Preferences',
        ofAccount: true,
        body: html`<h1>Preferences</h1>
          <p class="quiet">Light or dark, and how much moves, is as your system says.</p>
          ${forms.write({
            does: 'save',
            submit: 'Save',
            about: 'your preferences',
            fields: [
              {
                name: 'view_diffs_file_by_file',
                label: 'One file at a time',
                is: 'check',
                value: preferences.view_diffs_file_by_file,
                hint: 'What a merge request changes is shown file by file.',
              },
              {
                name: 'show_whitespace_in_diffs',
                label: 'Changes of white space',
                is: 'check',
                value: preferences.show_whitespace_in_diffs,
                hint: 'Lines of a merge request are marked in which nothing but spaces and tabs changed.',
              },
            ],
          })}`,
      }
    },
    actions: () => ({
      save: () => asks({ method: 'PUT', path: '/user/preferences', says: 'Your preferences are saved.' }),
    }),
  })
}

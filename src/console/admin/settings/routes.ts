import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { html } from '#platform/http/html.ts'
import { notFound } from '#platform/refusals.ts'
import { applicationSettings } from '#platform/settings/entity.ts'
import type { Action } from '../../frame/action.ts'
import { adminPage, Nothing } from '../frame.ts'
import { settingsAreas, settingsPath } from './areas.ts'
import { settingFields, settingsIn, settingValue } from './setting-fields.ts'

/** The settings of the instance, a page for each area. */
export const settingsAdminPages: FastifyPluginAsyncTypebox = async (app) => {
  const schema = applicationSettings()
  for (const area of settingsAreas) {
    const { title, about, word } = area
    adminPage(app, settingsPath(word), title, {
      params: Nothing,
      querystring: Nothing,
      async show({ api, forms }) {
        const values = new Map<string, unknown>(
          Object.entries(await api.get(schema, '/application/settings')),
        )
        return {
          title: `${title} · Settings`,
          body: html`<h1>${title}</h1>
            <p class="quiet">${about} Every process follows within a second.</p>
            ${forms.write({
              does: 'save',
              submit: 'Save',
              about: title,
              changes: true,
              fields: settingsIn(area).flatMap((setting) => settingFields(setting, values.get(setting.name))),
            })}
            <p class="quiet">
              Settings of GitLab that change nothing here are kept by the API, and are in none of these forms.
            </p>`,
        }
      },
      actions: () => ({ save: () => saves(area) }),
    })
  }
}

/** Changes the settings of an area, and no others. */
const saves =
  (area: (typeof settingsAreas)[number]): Action =>
  async (api, sent) => {
    const given = settingsIn(area).filter(({ name }) => name in sent)
    const changes = given.map((setting) => [setting.name, settingValue(setting, sent[setting.name])] as const)
    if (changes.length === 0) throw notFound()
    await api.send('PUT', '/application/settings', Object.fromEntries(changes))
    return { says: `Saved: ${area.title}.`, to: undefined }
  }

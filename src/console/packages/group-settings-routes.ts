import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { Duplicates } from '#registries/packages/policy-entity.ts'
import { html } from '#platform/http/html.ts'
import { notFound } from '#platform/refusals.ts'
import { GROUP } from '../frame/addresses.ts'
import { asks } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import type { Field } from '../frame/fields.ts'
import { formPage } from '../frame/form-page.ts'
import { groupHeader, groupOf, OfGroup } from '../frame/group.ts'
import { rightsIn } from '../frame/rights.ts'

/** The formats of which a group says whether files may be published again. */
const formats = { maven: 'Maven', generic: 'Generic' } as const
type Format = keyof typeof formats
const isFormat = (name: string): name is Format => Object.hasOwn(formats, name)

/** Whether packages in the projects of a group may be published again, by format. */
export const groupRegistrySettingsRoutes: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, `${GROUP}/settings/packages_and_registries`, {
    who: 'signed in',
    params: Type.Object(OfGroup),
    querystring: Type.Object({}),
    async show({ request, api, params, forms }) {
      const group = await groupOf(api, request, params.group)
      const address = path`/groups/${group.id}`
      const [rights, settings] = await Promise.all([
        rightsIn(api, address),
        api.find(Duplicates, `${address}/packages/settings`),
      ])
      if (!rights.may('admin_package_settings') || settings === undefined) throw notFound()
      return {
        title: `Package rules · ${group.full_name}`,
        place: groupHeader(group, 'Package rules'),
        body: html`<h1>Package rules</h1>
          <p class="quiet">
            Whether a file that a package has already may be published again, in all projects of the group. A
            group in it that says something itself has its own rules.
          </p>
          ${Object.keys(formats)
            .filter(isFormat)
            .map(
              (format) =>
                html`<h2>${formats[format]}</h2>
                  ${forms.write({
                    does: `save-duplicates/${format}`,
                    submit: 'Save',
                    about: `the rules of ${formats[format]}`,
                    changes: true,
                    fields: fieldsOf(format, settings),
                  })}`,
            )}`,
      }
    },
    async actions({ request, api, params }) {
      const { id } = await groupOf(api, request, params.group)
      return {
        'save-duplicates': (format) =>
          asks({
            method: 'PUT',
            path: path`/groups/${id}/packages/settings`,
            says: `Saved: the rules of ${isFormat(format) ? formats[format] : 'packages'}.`,
          }),
      }
    },
  })
}

const fieldsOf = (format: Format, settings: Static<typeof Duplicates>): readonly Field[] => [
  {
    name: `${format}_duplicates_allowed`,
    label: 'Files may be published again',
    is: 'check',
    value: settings[`${format}_duplicates_allowed`],
  },
  {
    name: `${format}_duplicate_exception_regex`,
    label: 'Except packages whose whole name or version is',
    hint: 'An expression (RE2), such as .*-SNAPSHOT. The opposite holds for them. Empty: none.',
    value: settings[`${format}_duplicate_exception_regex`],
    attributes: html`maxlength="255"`,
  },
]

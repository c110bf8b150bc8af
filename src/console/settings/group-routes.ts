import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { type Html, html } from '#platform/http/html.ts'
import { notFound } from '#platform/refusals.ts'
import { groupDetailEntity, GroupIdentity } from '#tenancy/groups/entity.ts'
import { GROUP } from '../frame/addresses.ts'
import { asks, makes } from '../frame/action.ts'
import { type List, path } from '../frame/api.ts'
import { formPage } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import { type GroupDetail, groupHeader, groupOf, groupPageOf, OfGroup } from '../frame/group.ts'
import { type Rights, rightsIn } from '../frame/rights.ts'
import { visibilityField, withoutEmpty } from './common-fields.ts'
import { deletes } from './general-routes.ts'

const HERE = 'edit'

/** Places that the form of a transfer offers. */
const MOST_PLACES = 100

/** What a group is called, who may see it and make what in it, and what ends or moves it. */
export const groupSettingsRoutes: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, `${GROUP}/${HERE}`, {
    who: 'signed in',
    params: Type.Object(OfGroup),
    querystring: Type.Object({}),
    async show({ request, api, params, forms }) {
      const group = await groupOf(api, request, params.group)
      const address = path`/groups/${group.id}`
      const [rights, places] = await Promise.all([
        rightsIn(api, address),
        api.besides.findList(GroupIdentity, `${address}/transfer_locations`, { per_page: MOST_PLACES }),
      ])
      if (!rights.may('update_group') && !rights.may('archive_group')) throw notFound()
      return {
        title: `Settings · ${group.full_name}`,
        place: groupHeader(group, 'General'),
        body: html`<h1>Settings</h1>
          ${rights.may('update_group') && changing(forms, group)} ${ending(forms, group, rights, places)}`,
      }
    },
    async actions({ request, api, params }) {
      const group = await groupOf(api, request, params.group)
      const address = path`/groups/${group.id}`
      const changes = (says: string) => () => asks({ method: 'PUT', path: address, says })
      const leads = (method: 'PUT' | 'POST', to: string, says: string) =>
        makes(groupDetailEntity(), { method, path: `${address}${to}`, says }, (after) =>
          groupPageOf(after, HERE),
        )
      const around = group.full_path.split('/').slice(0, -1).join('/')
      return {
        'save-general': changes('Saved: name and description.'),
        'save-rules': changes('Saved: who may make what.'),
        visibility: changes('It is decided who may see the group.'),
        rename: () => leads('PUT', '', 'The group has another path. The former one leads here.'),
        transfer: () =>
          withoutEmpty(leads('POST', '/transfer', 'The group is in another place.'), 'group_id'),
        archive: () => leads('POST', '/archive', 'The group is archived: nothing in it changes.'),
        unarchive: () => leads('POST', '/unarchive', 'The group is in use again.'),
        delete: () =>
          deletes(address, 'The group is deleted.', around === '' ? '/dashboard/groups' : `/${around}`),
      }
    },
  })
}

const changing = (forms: Forms, group: GroupDetail): Html =>
  html`<h2>Name and description</h2>
    ${forms.write({
      does: 'save-general',
      submit: 'Save',
      about: 'Name and description',
      changes: true,
      fields: [
        { name: 'name', label: 'Name', value: group.name, required: true },
        { name: 'description', label: 'Description', is: 'lines', value: group.description },
      ],
    })}
    <h2>Visibility</h2>
    <p class="quiet">Nothing in a group is seen by more people than the group itself.</p>
    ${forms.write({
      does: 'visibility',
      submit: 'Save',
      about: 'Visibility',
      changes: true,
      fields: [visibilityField(group.visibility)],
    })}
    <h2>Members’ rights</h2>
    ${forms.write({
      does: 'save-rules',
      submit: 'Save',
      about: 'Members’ rights',
      changes: true,
      fields: [
        {
          name: 'project_creation_level',
          label: 'Who may make projects',
          is: 'choice',
          value: group.project_creation_level,
          options: [
            { value: 'developer', label: 'Developers and above' },
            { value: 'maintainer', label: 'Maintainers and owners' },
            { value: 'owner', label: 'Owners' },
            { value: 'administrator', label: 'Administrators of the instance' },
            { value: 'noone', label: 'Nobody' },
          ],
        },
        {
          name: 'subgroup_creation_level',
          label: 'Who may make groups in it',
          is: 'choice',
          value: group.subgroup_creation_level,
          options: [
            { value: 'maintainer', label: 'Maintainers and owners' },
            { value: 'owner', label: 'Owners' },
          ],
        },
        {
          name: 'request_access_enabled',
          label: 'People may ask for access',
          is: 'check',
          value: group.request_access_enabled,
        },
        {
          name: 'share_with_group_lock',
          label: 'Projects are not shared with other groups',
          is: 'check',
          value: group.share_with_group_lock,
        },
      ],
    })}
    <h2>Path</h2>
    <p class="quiet">Addresses with the former path lead to the new one until somebody else takes it.</p>
    ${forms.write({
      does: 'rename',
      submit: 'Change the path',
      fields: [{ name: 'path', label: 'Path', value: group.path, required: true }],
    })}`

function ending(
  forms: Forms,
  group: GroupDetail,
  rights: Rights,
  places: List<{ readonly id: number; readonly full_path: string }> | undefined,
): Html {
  const to = [
    ...(group.parent_id === null ? [] : [{ value: '', label: 'The top level' }]),
    ...(places?.items ?? []).map(({ id, full_path }) => ({ value: String(id), label: full_path })),
  ]
  return html`${
    rights.may('transfer_group') &&
    html`<h2>Transfer</h2>
      ${
        to.length === 0
          ? html`<p class="empty">There is no other group where you may make groups.</p>`
          : forms.write({
              does: 'transfer',
              submit: 'Transfer',
              about: 'the group',
              opens: 'Transfer…',
              fields: [
                {
                  name: 'group_id',
                  label: 'To',
                  is: 'choice',
                  hint:
                    places?.next === undefined
                      ? 'Members of the group around it become members of what is in it.'
                      : `The first ${MOST_PLACES} are offered; the API takes others.`,
                  options: to,
                },
              ],
            })
      }`
  }
  ${
    rights.may('archive_group') &&
    html`<h2>${group.archived ? 'Archived' : 'Archive'}</h2>
      <p class="quiet">Everything in an archived group can be read, and nothing changed.</p>
      ${
        group.archived
          ? forms.write({ does: 'unarchive', submit: 'Use it again' })
          : forms.write({
              does: 'archive',
              submit: 'Archive',
              about: 'the group',
              asks: 'Nothing in it can be changed until you use it again.',
            })
      }`
  }
  ${
    rights.may('delete_group') &&
    html`<h2>Delete</h2>
      ${forms.write({
        does: 'delete',
        submit: 'Delete',
        about: 'the group',
        asks: 'Its projects, groups and everything in them go at once and for good.',
        fields: [
          {
            name: 'full_path',
            label: 'Path of the group',
            hint: `To be sure, type ${group.full_path}`,
            required: true,
          },
        ],
      })}`
  }`
}

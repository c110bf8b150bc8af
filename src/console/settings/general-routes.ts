import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ProjectExport } from '#code/exports/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { notFound } from '#platform/refusals.ts'
import { GroupIdentity } from '#tenancy/groups/entity.ts'
import { type EitherProject, projectEntity } from '#tenancy/projects/entity.ts'
import { PROJECT } from '../frame/addresses.ts'
import { type Action, asks, makes } from '../frame/action.ts'
import { type List, path } from '../frame/api.ts'
import { formPage } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'
import { type Rights, rightsIn } from '../frame/rights.ts'
import { emptyAsNull, visibilityField } from './common-fields.ts'
import { projectExport } from './project-export.ts'
import { settingsGroups } from './project-fields.ts'

const HERE = 'settings/general'

/** Places that the form of a transfer offers. */
const MOST_PLACES = 100

/** What a project is called, who may see it and use what, how changes are merged, and what ends or moves it. */
export const generalRoutes: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, `${PROJECT}/${HERE}`, {
    who: 'signed in',
    params: Type.Object(OfProject),
    querystring: Type.Object({}),
    async show({ request, api, params, forms }) {
      const project = await projectOf(api, request, params.project)
      const address = path`/projects/${project.id}`
      const [rights, archive, places] = await Promise.all([
        rightsIn(api, address),
        api.besides.find(ProjectExport, `${address}/export`),
        api.besides.findList(GroupIdentity, `${address}/transfer_locations`, { per_page: MOST_PLACES }),
      ])
      if (!rights.may('update_project')) throw notFound()
      return {
        title: `Settings · ${project.name_with_namespace}`,
        place: projectHeader(project, 'General'),
        body: html`<h1>Settings</h1>
          ${settingsGroups.map(
            ({ does, title, about, fields }) =>
              html`<h2>${title}</h2>
                <p class="quiet">${about}</p>
                ${forms.write({ does, submit: 'Save', about: title, changes: true, fields: fields(project), updatedAt: project.updated_at })}`,
          )}
          ${archive && projectExport(forms, archive)} ${forOwners(forms, project, rights, places)}`,
      }
    },
    async actions({ request, api, params }) {
      const project = await projectOf(api, request, params.project)
      const address = path`/projects/${project.id}`
      const changes = (says: string) => ({ method: 'PUT', path: address, says }) as const
      const leads = (says: string, to: string, method: 'PUT' | 'POST' = 'PUT') =>
        makes(projectEntity(), { method, path: `${address}${to}`, says }, (after) => pageOf(after, HERE))
      return {
        ...Object.fromEntries(
          settingsGroups.map(({ does, title, nullable = [] }) => [
            does,
            () => emptyAsNull(asks(changes(`Saved: ${title.toLowerCase()}.`)), ...nullable),
          ]),
        ),
        visibility: () => asks(changes('It is decided who may see the project.')),
        rename: () => leads('The project has another path. The former one leads here.', ''),
        export: () =>
          asks({
            method: 'POST',
            path: `${address}/export`,
            says: 'The archive is being made. This page has it in a moment.',
          }),
        transfer: () => leads('The project is in another place.', '/transfer'),
        archive: () => leads('The project is archived: nothing in it changes.', '/archive', 'POST'),
        unarchive: () => leads('The project is in use again.', '/unarchive', 'POST'),
        delete: () => deletes(address, 'The project is deleted.', `/${project.namespace.full_path}`),
      }
    },
  })
}

/** Deletes something whose path was typed, to be sure. */
export const deletes =
  (address: string, says: string, to: string): Action =>
  async (api, { full_path }) => {
    const typed = encodeURIComponent(typeof full_path === 'string' ? full_path.trim() : '')
    await api.send('DELETE', `${address}?full_path=${typed}`)
    return { says, to }
  }

function forOwners(
  forms: Forms,
  project: EitherProject,
  rights: Rights,
  places: List<{ readonly id: number; readonly full_path: string }> | undefined,
): Html {
  const { full_path: around } = project.namespace
  return html`${
    rights.may('move_project') &&
    html`<h2>Visibility</h2>
      <p class="quiet">No project is seen by more people than the group that it is in.</p>
      ${forms.write({
        does: 'visibility',
        submit: 'Save',
        about: 'Visibility',
        fields: [visibilityField(project.visibility)],
      })}
      <h2>Path</h2>
      <p class="quiet">Addresses with the former path lead to the new one until somebody else takes it.</p>
      ${forms.write({
        does: 'rename',
        submit: 'Change the path',
        fields: [
          { name: 'path', label: 'Path', hint: `After ${around}/.`, value: project.path, required: true },
        ],
      })}`
  }
  ${
    rights.may('transfer_project') &&
    html`<h2>Transfer</h2>
      ${
        places === undefined || places.items.length === 0
          ? html`<p class="empty">There is no other group where you may make projects.</p>`
          : forms.write({
              does: 'transfer',
              submit: 'Transfer',
              about: 'the project',
              opens: 'Transfer…',
              fields: [
                {
                  name: 'namespace',
                  label: 'To',
                  is: 'choice',
                  hint:
                    places.next === undefined
                      ? 'Members of that group become members of the project.'
                      : `The first ${MOST_PLACES} are offered; the API takes others.`,
                  options: places.items.map(({ id, full_path }) => ({ value: String(id), label: full_path })),
                },
              ],
            })
      }`
  }
  ${
    rights.may('archive_project') &&
    html`<h2>${project.archived === true ? 'Archived' : 'Archive'}</h2>
      <p class="quiet">Everything in an archived project can be read, and nothing changed.</p>
      ${
        project.archived === true
          ? forms.write({ does: 'unarchive', submit: 'Use it again' })
          : forms.write({
              does: 'archive',
              submit: 'Archive',
              about: 'the project',
              asks: 'Nothing in it can be changed until you use it again.',
            })
      }`
  }
  ${
    rights.may('delete_project') &&
    html`<h2>Delete</h2>
      ${forms.write({
        does: 'delete',
        submit: 'Delete',
        about: 'the project',
        asks: 'Its code, issues, packages and everything else go at once and for good.',
        fields: [
          {
            name: 'full_path',
            label: 'Path of the project',
            hint: `To be sure, type ${project.path_with_namespace}`,
            required: true,
          },
        ],
      })}`
  }`
}

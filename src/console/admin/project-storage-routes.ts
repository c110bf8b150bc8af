import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ProjectStorageMove } from '#code/repository-storage-moves/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { notFound } from '#platform/refusals.ts'
import { applicationSettings } from '#platform/settings/entity.ts'
import { PROJECT } from '../frame/addresses.ts'
import { asks } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import { formPage } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import { otherPages, pageNumber } from '../frame/lists.ts'
import { OfProject, pageOf, pathOf, projectHeader, projectOf } from '../frame/project.ts'
import { withoutEmpty } from '../settings/common-fields.ts'
import { moveRows, named } from './storage-moves.ts'

const HERE = 'settings/storage'

/** Where the repositories of a project are, for administrators, and their moves to other storages. */
export const projectStoragePages: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, `${PROJECT}/${HERE}`, {
    who: 'signed in',
    params: Type.Object(OfProject),
    querystring: Type.Object({ page: pageNumber }),
    async show({ request, api, params, query: { page }, forms }) {
      const project = await projectOf(api, request, params.project)
      if (project.repository_storage === undefined) throw notFound()
      const [moves, settings] = await Promise.all([
        api.list(ProjectStorageMove, path`/projects/${project.id}/repository_storage_moves`, { page }),
        api.get(applicationSettings(), '/application/settings'),
      ])
      const known = new Set([
        ...Object.keys(settings.repository_storages_weighted),
        ...moves.items.flatMap((move) => [move.source_storage_name, move.destination_storage_name]),
      ])
      known.delete(project.repository_storage)
      const place = { name: project.name_with_namespace, address: pathOf(project) }
      return {
        title: `Storage · ${project.name_with_namespace}`,
        place: projectHeader(project, 'Storage'),
        body: html`<h1>Storage</h1>
          <p>
            The repositories of the project are in the storage <strong>${project.repository_storage}</strong>.
          </p>
          ${moving(forms, [...known])}
          <h2>Moves</h2>
          ${moveRows(named(moves, () => place) ?? { ...moves, items: [] })}
          ${otherPages(moves, page, pageOf(project, HERE), {})}
          <p class="quiet">
            <a href="/admin/repository_storages">All storages</a>, and the moves of all projects.
          </p>`,
      }
    },
    async actions({ request, api, params }) {
      const { id } = await projectOf(api, request, params.project)
      const asked = {
        method: 'POST',
        path: path`/projects/${id}/repository_storage_moves`,
        says: 'The move begins in the background. This page says how far it is.',
      } as const
      return { move: () => withoutEmpty(asks(asked), 'destination_storage_name') }
    },
  })
}

/** @param known the other storages that have a weight, or that the project was in */
const moving = (forms: Forms, known: readonly string[]): Html =>
  html`${forms.write({
      does: 'move',
      submit: 'Move',
      about: 'the project',
      opens: 'Move to another storage…',
      fields: [
        {
          name: 'destination_storage_name',
          label: 'Storage',
          hint: 'Its name, as the server is configured. Empty: whichever the weights choose. The repositories are read-only while they move.',
          attributes: html`list="storages" autocomplete="off"`,
        },
      ],
    })} <datalist id="storages">${known.map((name) => html`<option value="${name}"></option>`)}</datalist>`

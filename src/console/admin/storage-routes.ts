import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import {
  GroupStorageMove,
  ProjectStorageMove,
  SnippetStorageMove,
} from '#code/repository-storage-moves/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { oneOf } from '#platform/http/schema.ts'
import { applicationSettings } from '#platform/settings/entity.ts'
import { asks } from '../frame/action.ts'
import type { Api, List } from '../frame/api.ts'
import type { Forms } from '../frame/forms.ts'
import { addressOf, choices, emptyList, otherPages, pageNumber, pathIn } from '../frame/lists.ts'
import { withoutEmpty } from '../settings/common-fields.ts'
import { adminPage, Nothing } from './frame.ts'
import { type Move, moveRows, named } from './storage-moves.ts'

const HERE = '/admin/repository_storages'

const kinds = ['project', 'group', 'snippet'] as const
type Kind = (typeof kinds)[number]

const titles = { project: 'Projects', group: 'Wikis of groups', snippet: 'Snippets' } as const

/** Where repositories are, and their moves from one storage to another. */
export const storageAdminPages: FastifyPluginAsyncTypebox = async (app) => {
  adminPage(app, '/repository_storages', 'Storages', {
    params: Nothing,
    querystring: Type.Object({ page: pageNumber, kind: Type.Optional(oneOf(kinds)) }),
    async show({ api, query: { page, kind = 'project' }, forms }) {
      const [settings, moves] = await Promise.all([
        api.get(applicationSettings(), '/application/settings'),
        movesOf(api, kind, page),
      ])
      const tabs = kinds.map((one) => ({
        title: titles[one],
        address: one === 'project' ? HERE : addressOf(HERE, { kind: one }),
        here: one === kind,
      }))
      return {
        title: 'Storages',
        body: html`<h1>Storages</h1>
          ${storages(settings.repository_storages_weighted)}
          <h2>Moves</h2>
          ${choices('What was moved', tabs)}
          ${
            moves === undefined
              ? html`${emptyList('This needs the plan Premium, and this instance has no license for it.')}
                  <p class="actions"><a class="button" href="/admin/license">Get a license</a></p>`
              : html`${moveRows(moves)}
                  ${otherPages(moves, page, HERE, { kind: kind === 'project' ? undefined : kind })}
                  <div class="actions">${moving(forms, kind)}</div>`
          }`,
      }
    },
    actions: ({ query: { kind = 'project' } }) => ({
      move: () =>
        withoutEmpty(
          asks({
            method: 'POST',
            path: `/${kind}_repository_storage_moves`,
            says: 'The moves begin in the background.',
          }),
          'destination_storage_name',
        ),
    }),
  })
}

/** Undefined where the instance has no plan for them. */
async function movesOf(api: Api, kind: Kind, page: number): Promise<List<Move> | undefined> {
  const address = `/${kind}_repository_storage_moves`
  if (kind === 'project') {
    const list = await api.findList(ProjectStorageMove, address, { page })
    return named(list, ({ project }) => ({
      name: project.path_with_namespace,
      address: `/${project.path_with_namespace}`,
    }))
  }
  if (kind === 'group') {
    const list = await api.findList(GroupStorageMove, address, { page })
    return named(list, ({ group }) => ({ name: group.name, address: pathIn(group.web_url) }))
  }
  const list = await api.findList(SnippetStorageMove, address, { page })
  return named(list, ({ snippet }) => ({
    name: snippet.title ?? `Snippet ${snippet.id}`,
    address: pathIn(snippet.web_url),
  }))
}

const storages = (weights: Readonly<Record<string, number>>): Html =>
  html`<ul class="rows">
      ${Object.entries(weights).map(
        ([name, weight]) =>
          html`<li>
            <div><strong>${name}</strong></div>
            <p class="quiet aside">
              ${weight === 0 ? 'gets no new repositories' : `gets new repositories with the weight ${weight}`}
            </p>
          </li>`,
      )}
    </ul>
    <p class="quiet">
      Those that have a weight. The weights are in
      <a href="/admin/application_settings/repository">the settings of repositories</a>.
    </p>`

const moving = (forms: Forms, kind: Kind): Html =>
  forms.write({
    does: 'move',
    submit: 'Move them',
    opens: `Move all ${kind === 'group' ? 'wikis of groups' : `${kind}s`} away from a storage…`,
    fields: [
      {
        name: 'source_storage_name',
        label: 'From',
        hint: 'The name of a storage, as the server is configured.',
        required: true,
      },
      {
        name: 'destination_storage_name',
        label: 'To',
        hint: 'Empty: whichever the weights choose. Each repository is read-only while it moves.',
      },
    ],
  })

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Branch } from '#code/branches/entity.ts'
import { ListedMergeRequest } from '#code/merge-requests/list/entity.ts'
import { MAX_NAME } from '#code/repositories/limits.ts'
import { TagEntity } from '#code/tags/entity.ts'
import { html } from '#platform/http/html.ts'
import { text } from '#platform/http/schema.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { PROJECT } from '../frame/addresses.ts'
import { type Action, asks, makes } from '../frame/action.ts'
import { type Api, path } from '../frame/api.ts'
import type { Field } from '../frame/fields.ts'
import { formPage, type Visit } from '../frame/form-page.ts'
import { listOf } from '../frame/list-page.ts'
import { pageNumber } from '../frame/lists.ts'
import { OfProject, pageOf, projectHeader, projectOf, slashed } from '../frame/project.ts'
import { rightsIn } from '../frame/rights.ts'
import { branchesOf, tagsOf } from './reference-lists.ts'

const ByProject = Type.Object(OfProject)
const Filter = Type.Object({ search: Type.Optional(text()), page: pageNumber })
const From = Type.Object({ ref: Type.Optional(text({ max: MAX_NAME })) })

const start = (value: string | undefined): Field => ({
  name: 'ref',
  label: 'From',
  value,
  required: true,
  hint: 'A branch, a tag or the id of a commit.',
})

/** Merge requests that are looked through. */
const MOST = 100

/** The branches that somebody has proposed to merge. */
async function proposedIn(api: Api, project: EitherProject): Promise<ReadonlySet<string | undefined>> {
  if (!api.isForSomebody) return new Set()
  const open = await api.besides.findList(ListedMergeRequest, path`/projects/${project.id}/merge_requests`, {
    state: 'opened',
    per_page: MOST,
  })
  const own = (open?.items ?? []).filter(({ source_project_id }) => source_project_id === project.id)
  return new Set(own.map(({ source_branch }) => source_branch))
}

type Visited = Visit<typeof ByProject, typeof From>

/** The two kinds of references, whose pages are alike. */
const kinds = [
  {
    at: 'branches',
    part: 'Branches',
    one: 'branch',
    list: branchesOf,
    asks: (name: string) =>
      `The branch ${name} goes, and with it the commits that no other branch or tag has.`,
    fields: (ref: string | undefined): readonly Field[] => [
      { name: 'branch', label: 'Name', required: true },
      start(ref),
    ],
    make: (project: EitherProject): Action =>
      makes(
        Branch,
        {
          method: 'POST',
          path: path`/projects/${project.id}/repository/branches`,
          says: 'The branch is there.',
        },
        ({ name }) => pageOf(project, `tree/${slashed(name)}`),
      ),
  },
  {
    at: 'tags',
    part: 'Tags',
    one: 'tag',
    list: tagsOf,
    asks: (name: string) => `The tag ${name} goes, and its release.`,
    fields: (ref: string | undefined): readonly Field[] => [
      { name: 'tag_name', label: 'Name', required: true },
      start(ref),
      {
        name: 'message',
        label: 'Message',
        is: 'lines',
        hint: 'What the tag says of itself. It may be blank.',
        attributes: html`class="short"`,
      },
    ],
    make: (project: EitherProject): Action =>
      makes(
        TagEntity,
        { method: 'POST', path: path`/projects/${project.id}/repository/tags`, says: 'The tag is there.' },
        ({ name }) => pageOf(project, `tree/${slashed(name)}`),
      ),
  },
] as const

/** Branches and tags: the lists, from which they are deleted, and new ones. */
export const referenceFormRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const kind of kinds) {
    const { at, part, one } = kind

    formPage(app, `${PROJECT}/${at}`, {
      params: ByProject,
      querystring: Filter,
      async show({ request, api, params, query, forms }) {
        const project = await projectOf(api, request, params.project)
        const [rights, proposed] = await Promise.all([
          rightsIn(api, path`/projects/${project.id}`),
          kind.at === 'branches' ? proposedIn(api, project) : new Set<string | undefined>(),
        ])
        const mayPropose = rights.may('push_code') && rights.may('create_merge_request')
        const remove = (name: string) =>
          rights.may('push_code') &&
          forms.write({ does: `delete/${name}`, submit: 'Delete', about: name, asks: kind.asks(name) })
        const make = rights.may('push_code') && { title: `New ${one}`, address: pageOf(project, `${at}/new`) }
        return {
          title: `${part} · ${project.name_with_namespace}`,
          place: projectHeader(project, part),
          body: await (kind.at === 'branches'
            ? listOf(
                api,
                pageOf(project, at),
                {
                  ...branchesOf(project, {
                    remove,
                    mayBeProposed: (name) => mayPropose && !proposed.has(name),
                  }),
                  make,
                },
                query,
              )
            : listOf(api, pageOf(project, at), { ...tagsOf(project, remove), make }, query)),
        }
      },
      async actions({ request, api, params }) {
        const project = await projectOf(api, request, params.project)
        return {
          delete: (name) =>
            asks({
              method: 'DELETE',
              path: path`/projects/${project.id}/repository/${at}/${name}`,
              says: `The ${one} ${name} is deleted.`,
            }),
        }
      },
    })

    formPage(app, `${PROJECT}/${at}/new`, {
      who: 'signed in',
      params: ByProject,
      querystring: From,
      async show({ request, api, params, query, forms }: Visited) {
        const project = await projectOf(api, request, params.project)
        const rights = await rightsIn(api, path`/projects/${project.id}`)
        const fields = kind.fields(query.ref ?? project.default_branch ?? undefined)
        return {
          title: `New ${one} · ${project.name_with_namespace}`,
          place: projectHeader(project, part),
          body: html`<h1>New ${one}</h1>
            ${
              rights.may('push_code')
                ? forms.write({ does: 'make', submit: `Make the ${one}`, fields })
                : html`<p class="empty">It takes a Developer of the project to make one.</p>`
            }`,
        }
      },
      async actions({ request, api, params }: Visited) {
        const project = await projectOf(api, request, params.project)
        return { make: () => kind.make(project) }
      },
    })
  }
}

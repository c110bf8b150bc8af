import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Snippet } from '#code/snippets/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { integer, MAX_PATH, text } from '#platform/http/schema.ts'
import { PROJECT } from '../frame/addresses.ts'
import { asks, makes } from '../frame/action.ts'
import { type Api, path } from '../frame/api.ts'
import { formPage } from '../frame/form-page.ts'
import { addressOf, choices, pathIn } from '../frame/lists.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'
import { rightsIn } from '../frame/rights.ts'
import { changeableFile } from './changeable-file.ts'
import { FILES_OF_NEW, fileFields, fileIn, filesIn, withFiles, wordFields } from './snippet-fields.ts'

const id = integer({ minimum: 1 })
const InProject = { project: Type.Optional(OfProject.project) }
const File = Type.Object({ file: Type.Optional(text({ max: MAX_PATH })) })

/** Where snippets are: in a project, or with people. */
interface Place {
  /** The path of their list in the API, and the address of their pages. */
  readonly api: string
  readonly page: string
  /** Where one is after a snippet was deleted. */
  readonly list: string
  readonly header: { readonly place?: Html }
  readonly title: string
  readonly mayWrite: boolean
  readonly mayChangeAll: boolean
}

async function inProject(api: Api, request: FastifyRequest, named: string): Promise<Place> {
  const project = await projectOf(api, request, named)
  const address = path`/projects/${project.id}`
  const rights = await rightsIn(api, address)
  return {
    api: `${address}/snippets`,
    page: pageOf(project, 'snippets'),
    list: pageOf(project, 'snippets'),
    header: { place: projectHeader(project, 'Snippets') },
    title: ` · ${project.name_with_namespace}`,
    mayWrite: rights.may('create_snippet'),
    mayChangeAll: rights.may('admin_snippet'),
  }
}

const ofPeople = (request: FastifyRequest): Place => ({
  api: '/snippets',
  page: '/-/snippets',
  list: '/dashboard/snippets',
  header: {},
  title: '',
  mayWrite: true,
  mayChangeAll: request.identity?.user.admin === true,
})

const open = (api: Api, request: FastifyRequest, project: string | undefined): Promise<Place> | Place =>
  project === undefined ? ofPeople(request) : inProject(api, request, project)

const notForThem = html`<p class="empty">You may not write snippets here.</p>`

/** Snippets that people write in the browser. */
export const snippetFormRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const at of [`${PROJECT}/snippets`, '/-/snippets']) {
    formPage(app, `${at}/new`, {
      who: 'signed in',
      params: Type.Object(InProject),
      querystring: Type.Object({}),
      async show({ request, api, params, forms }) {
        const place = await open(api, request, params.project)
        const files = Array.from({ length: FILES_OF_NEW }, (_, index) => fileFields('', '', index + 1))
        const fields = [...wordFields({}), ...files.flat()]
        return {
          title: `New snippet${place.title}`,
          ...place.header,
          body: html`<h1>New snippet</h1>
            ${place.mayWrite ? forms.write({ does: 'create', submit: 'Save the snippet', fields }) : notForThem}`,
        }
      },
      async actions({ request, api, params }) {
        const place = await open(api, request, params.project)
        const create = { method: 'POST', path: place.api, says: 'The snippet is there.' } as const
        return {
          create: () =>
            withFiles(
              filesIn,
              makes(Snippet, create, ({ web_url }) => pathIn(web_url)),
              ['title', 'description', 'visibility'],
            ),
        }
      },
    })

    formPage(app, `${at}/:id/edit`, {
      who: 'signed in',
      params: Type.Object({ ...InProject, id }),
      querystring: File,
      async show({ request, api, params, query, forms }) {
        const place = await open(api, request, params.project)
        const address = `${place.api}/${params.id}`
        const snippet = await api.get(Snippet, address)
        const { title, files } = snippet
        const file = query.file ?? snippet.file_name
        const content = await changeableFile(api, address, file)
        const page = `${place.page}/${params.id}`
        const mayChange =
          place.mayChangeAll || (place.mayWrite && snippet.author.id === request.identity?.user.id)
        return {
          title: `Change ${title}${place.title}`,
          ...place.header,
          body: html`<h1>Change <a href="${page}">${title}</a></h1>
            ${
              mayChange
                ? html`${forms.write({
                      does: 'save',
                      submit: 'Save',
                      changes: true,
                      fields: wordFields(snippet),
                      updatedAt: snippet.updated_at,
                    })}
                    <h2>Files</h2>
                    ${choices(
                      'Files of the snippet',
                      files.map((one) => ({
                        title: one.path,
                        address: addressOf(`${page}/edit`, { file: one.path }),
                        here: one.path === file,
                      })),
                    )}
                    ${
                      content === undefined
                        ? html`<p class="empty">This file cannot be changed here, but with Git.</p>`
                        : forms.write({
                            does: 'save-file',
                            submit: 'Save the file',
                            fields: fileFields(file, content),
                            seen: [content],
                          })
                    }
                    ${
                      files.length > 1 &&
                      forms.write({
                        does: 'delete-file',
                        submit: 'Delete the file',
                        about: file,
                        asks: `The file ${file} goes from the snippet.`,
                      })
                    }
                    ${forms.write({
                      does: 'add-file',
                      submit: 'Add the file',
                      opens: 'Add a file',
                      fields: fileFields('', ''),
                    })}
                    <h2>Delete</h2>
                    ${forms.write({
                      does: 'delete',
                      submit: 'Delete the snippet',
                      asks: 'The snippet goes for good, with its files and what was said of it.',
                    })}`
                : notForThem
            }`,
        }
      },
      async actions({ request, api, params, query }) {
        const place = await open(api, request, params.project)
        const address = `${place.api}/${params.id}`
        const to = `${place.page}/${params.id}`
        const put = { method: 'PUT', path: address, to } as const
        const file = query.file ?? (await api.get(Snippet, address)).file_name
        return {
          save: () => asks({ ...put, says: 'The snippet is changed.' }),
          'save-file': () =>
            withFiles(
              (typed) => {
                const changed = fileIn(typed)
                return changed.file_path === file
                  ? [{ action: 'update', ...changed }]
                  : [{ action: 'move', previous_path: file, ...changed }]
              },
              asks({
                ...put,
                says: 'The file is changed.',
                seen: async (asked) => {
                  const { updated_at } = await asked.get(Snippet, address)
                  return { texts: [await changeableFile(asked, address, file)], updatedAt: updated_at }
                },
              }),
            ),
          'add-file': () =>
            withFiles(
              (typed) => [{ action: 'create', ...fileIn(typed) }],
              asks({ ...put, says: 'The file is added.' }),
            ),
          'delete-file': () =>
            withFiles(
              () => [{ action: 'delete', file_path: file }],
              asks({ ...put, says: 'The file is deleted.' }),
            ),
          delete: () =>
            asks({ method: 'DELETE', path: address, says: 'The snippet is deleted.', to: place.list }),
        }
      },
    })
  }
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { html } from '#platform/http/html.ts'
import { MAX_PATH, text } from '#platform/http/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { PROJECT } from '../frame/addresses.ts'
import { path } from '../frame/api.ts'
import { formPage } from '../frame/form-page.ts'
import { OfProject, pageOf, projectHeader, projectOf, slashed } from '../frame/project.ts'
import { rightsIn } from '../frame/rights.ts'
import { changing, creating, deleting, replacing, uploading } from './file-actions.ts'
import { commits, writingPlace } from './file-commits.ts'
import { commitFields, contentField, fileField, hidden, mayNotWrite, pathField } from './file-fields.ts'
import { editableFile } from './editable-file.ts'
import { pathLinks } from './tree-page.ts'

const ByPlace = Type.Object({ ...OfProject, place: text({ max: MAX_PATH }) })

/** Files that people write in the browser: new ones, uploads, changes, other names, deletion. */
export const fileFormRoutes: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, `${PROJECT}/new/:place`, {
    who: 'signed in',
    params: ByPlace,
    querystring: Type.Object({}),
    async show({ request, api, params, forms }) {
      const project = await projectOf(api, request, params.project)
      const [rights, place] = await Promise.all([
        rightsIn(api, path`/projects/${project.id}`),
        writingPlace(api, project, params.place),
      ])
      // Of a form that was refused nothing is lost, whatever is gone meanwhile.
      const isKnown = place.commit !== undefined || project.empty_repo === true
      if (!isKnown && request.method !== 'POST') throw notFound()
      const folder = place.path === '' ? '' : `${place.path}/`
      const who = request.identity?.user.username ?? ''
      return {
        title: `New file · ${project.name_with_namespace}`,
        place: projectHeader(project, 'Files'),
        body: html`<h1>New file</h1>
          <p class="path">${pathLinks(project, place.ref, place.path)}</p>
          ${
            rights.may('commit_code')
              ? html`${forms.write({
                  does: 'create',
                  submit: 'Commit the file',
                  fields: [
                    pathField(folder, 'From the root. Slashes make folders.'),
                    contentField(''),
                    ...commitFields(place, 'Add a file', who),
                  ],
                })}
                ${forms.write({
                  does: 'upload',
                  submit: 'Upload the file',
                  opens: 'Upload a file instead',
                  fields: [
                    fileField,
                    {
                      name: 'folder',
                      label: 'Folder',
                      value: place.path,
                      hint: 'From the root; blank for the root. The file keeps its name.',
                    },
                    ...commitFields(place, 'Upload a file', who),
                  ],
                })}`
              : mayNotWrite(project, rights)
          }`,
      }
    },
    async actions({ request, api, params }) {
      const project = await projectOf(api, request, params.project)
      const place = await writingPlace(api, project, params.place)
      return {
        create: () => commits(project, place, creating),
        upload: () => commits(project, place, uploading),
      }
    },
  })

  formPage(app, `${PROJECT}/edit/:place`, {
    who: 'signed in',
    params: ByPlace,
    querystring: Type.Object({}),
    async show({ request, api, params, forms }) {
      const project = await projectOf(api, request, params.project)
      const [rights, place] = await Promise.all([
        rightsIn(api, path`/projects/${project.id}`),
        writingPlace(api, project, params.place),
      ])
      const file = await editableFile(api, project, place)
      if (file === undefined && request.method !== 'POST') throw notFound()
      const { lastCommit = '', text: content, because = '', hasCarriageReturns = false } = file ?? {}
      const name = place.path.split('/').at(-1) ?? ''
      const who = request.identity?.user.username ?? ''
      const seen = hidden('last_commit_id', lastCommit)
      const asked = (message: string) => [seen, ...commitFields(place, `${message} ${name}`, who)]
      const page = pageOf(project, `blob/${slashed(place.ref)}/${slashed(place.path)}`)
      const isRefused = ['save', 'rename', 'replace', 'delete'].some((does) => forms.isRefused(does))
      return {
        title: `Change ${place.path} · ${project.name_with_namespace}`,
        place: projectHeader(project, 'Files'),
        body: html`<h1>Change <span class="name">${name}</span></h1>
          <p class="path">${pathLinks(project, place.ref, place.path)}</p>
          ${
            isRefused &&
            html`<p class="notice">
              Did somebody else change the file meanwhile? See <a href="${page}">how it is now</a>: what you
              save takes its place.
            </p>`
          }
          ${
            rights.may('commit_code')
              ? html`${
                  content === undefined && !forms.isRefused('save')
                    ? html`<p class="empty">${because}</p>
                        ${forms.write({
                          does: 'rename',
                          submit: 'Rename the file',
                          fields: [pathField(place.path, 'From the root.'), ...asked('Rename')],
                        })}`
                    : forms.write({
                        does: 'save',
                        submit: 'Commit the change',
                        fields: [
                          pathField(place.path, 'From the root. Another one moves the file.'),
                          contentField(content ?? ''),
                          hidden('line_ends', hasCarriageReturns ? 'crlf' : 'lf'),
                          ...asked('Update'),
                        ],
                      })
                }
                ${forms.write({
                  does: 'replace',
                  submit: 'Replace the file',
                  opens: 'Replace it by an upload',
                  fields: [fileField, ...asked('Replace')],
                })}
                ${forms.write({
                  does: 'delete',
                  submit: 'Delete',
                  about: 'the file',
                  asks: 'The file goes from the branch. Earlier commits keep it.',
                  fields: asked('Delete'),
                })}`
              : mayNotWrite(project, rights)
          }`,
      }
    },
    async actions({ request, api, params }) {
      const project = await projectOf(api, request, params.project)
      const place = await writingPlace(api, project, params.place)
      const { path: at } = place
      return {
        save: () => commits(project, place, changing(at)),
        rename: () => commits(project, place, changing(at)),
        replace: () => commits(project, place, replacing(at)),
        delete: () => commits(project, place, deleting(at)),
      }
    },
  })
}

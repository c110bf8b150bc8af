import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { ProjectImport } from '#code/imports/entity.ts'
import { page } from '#platform/access/route-access.ts'
import { type Html, html } from '#platform/http/html.ts'
import { answerWithPages } from '#platform/pages/page.ts'
import { PROJECT } from '../frame/addresses.ts'
import { makes } from '../frame/action.ts'
import { Api, path } from '../frame/api.ts'
import type { Field } from '../frame/fields.ts'
import { formPage } from '../frame/form-page.ts'
import { OfProject, pathOf, projectHeader, projectOf } from '../frame/project.ts'
import { show } from '../frame/show.ts'
import { withoutEmpty } from './common-fields.ts'
import { namespaceField } from './namespace-field.ts'

/** The page that makes a project of an archive. */
export const IMPORT = '/import/gitlab_project/new'

/** A project that is made of the archive of another one, and how far that is. */
export const importPages: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, IMPORT, {
    who: 'signed in',
    params: Type.Object({}),
    querystring: Type.Object({}),
    async show({ request, api, forms }) {
      const fields: readonly Field[] = [
        { name: 'name', label: 'Name', hint: 'Empty: as its path.' },
        await namespaceField(api, request.user().username),
        { name: 'path', label: 'Path', hint: 'The end of its address.', required: true },
        {
          name: 'file',
          label: 'Archive',
          is: 'file',
          hint: 'An export of this server or another Forgelet, at most 15 MB: a file that ends in .tar.gz.',
          required: true,
          attributes: html`accept=".gz,.tgz,application/gzip"`,
        },
      ]
      return {
        title: 'Import a project',
        body: html`<h1>Import a project</h1>
          <p class="quiet">
            The settings of a project make its archive, under Export. You become the author of issues and
            comments; each begins with a line that names who wrote it.
          </p>
          ${forms.write({ does: 'import', submit: 'Import the project', fields })}`,
      }
    },
    actions: () => {
      const asked = { method: 'POST', path: '/projects/import', says: 'The import has begun.' } as const
      const to = ({ path_with_namespace }: Static<typeof ProjectImport>) => `/${path_with_namespace}/-/import`
      return { import: () => withoutEmpty(makes(ProjectImport, asked, to), 'name', 'namespace_id') }
    },
  })

  await app.register(progressPage)
}

const progressPage: FastifyPluginAsyncTypebox = async (app) => {
  answerWithPages(app)
  app.get(
    `${PROJECT}/import`,
    { config: page('anyone'), schema: { params: Type.Object(OfProject) } },
    async (req, reply) => {
      const api = new Api(req)
      const project = await projectOf(api, req, req.params.project)
      const made = await api.get(ProjectImport, path`/projects/${project.id}/import`)
      return show(req, reply, {
        title: `Import · ${project.name_with_namespace}`,
        place: projectHeader(project, 'Project'),
        body: html`<h1>Import</h1>
          ${progress(made)}
          <p class="actions"><a class="button secondary" href="${pathOf(project)}">The project</a></p>`,
      })
    },
  )
}

const states: Readonly<Record<string, readonly [looks: string, says: string]>> = {
  none: ['still', 'The project was not imported.'],
  scheduled: ['busy', 'The import begins in a moment. Load this page again.'],
  started: ['busy', 'The import is under way. Load this page again in a moment.'],
  finished: ['good', 'Everything is there.'],
  failed: ['bad', 'The import has failed. Delete the project, and import it again.'],
}

const sources: Readonly<Record<string, string>> = { git: 'a repository', gitlab_project: 'an archive' }

function progress({
  import_status: status,
  import_type: type,
  import_error: error,
  failed_relations: failed,
}: Static<typeof ProjectImport>): Html {
  const [looks, says] = states[status] ?? ['still', '']
  return html`<p role="status"><span class="ci ${looks}">${status}</span> ${says}</p>
    ${type !== null && html`<p class="quiet">From ${sources[type] ?? type}.</p>`}
    ${error !== null && html`<pre class="problem" tabindex="0">${error}</pre>`}
    ${failed.length > 0 && html`<p>${failed.length} things of it could not be read.</p>`}`
}

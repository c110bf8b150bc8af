import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { Job } from '#code/jobs/entity.ts'
import { Pipeline } from '#code/pipelines/entity.ts'
import { html } from '#platform/http/html.ts'
import { integer, text } from '#platform/http/schema.ts'
import { PROJECT } from '../frame/addresses.ts'
import { type Action, asks, makes } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import { rightsTo } from '../frame/rights.ts'
import { formPage } from '../frame/form-page.ts'
import { pageNumber } from '../frame/lists.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'
import { jobPage } from './job-page.ts'
import { pipelinePage } from './pipeline-page.ts'

const ById = Type.Object({ ...OfProject, id: integer({ minimum: 1 }) })
const offset = Type.Optional(integer({ minimum: 0 }))

/** Variables that the form of a new pipeline has room for. */
const VARIABLES = 5

/** A pipeline, a job, and the forms that run, cancel and run them again. */
export const pipelineFormRoutes: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, `${PROJECT}/pipelines/new`, {
    who: 'signed in',
    params: Type.Object(OfProject),
    querystring: Type.Object({ ref: Type.Optional(text()) }),
    async show({ request, api, params, query, forms }) {
      const project = await projectOf(api, request, params.project)
      await rightsTo('create_pipeline', api, path`/projects/${project.id}`)
      const variables = Array.from({ length: VARIABLES }, (_, index) => [
        { name: `variables[${index}][key]`, label: `Variable ${index + 1}` },
        { name: `variables[${index}][value]`, label: `Its value` },
      ])
      return {
        title: `Run a pipeline · ${project.name_with_namespace}`,
        place: projectHeader(project, 'Pipelines'),
        body: html`<h1>Run a pipeline</h1>
          ${forms.write({
            does: 'run',
            submit: 'Run the pipeline',
            fields: [
              {
                name: 'ref',
                label: 'Branch or tag',
                value: query.ref ?? project.default_branch,
                required: true,
              },
              ...variables.flat(),
            ],
          })}`,
      }
    },
    async actions({ request, api, params }) {
      const project = await projectOf(api, request, params.project)
      const run = { path: path`/projects/${project.id}/pipeline`, says: 'The pipeline is made.' } as const
      const make = makes(Pipeline, { method: 'POST', ...run }, ({ id }) => pageOf(project, `pipelines/${id}`))
      const filled: Action = (asked, { variables, ...others }) =>
        make(asked, { ...others, variables: withKeys(variables) })
      return { run: () => filled }
    },
  })

  formPage(app, `${PROJECT}/pipelines/:id`, {
    params: ById,
    querystring: Type.Object({ page: pageNumber }),
    async show({ request, api, params, query, forms }) {
      const project = await projectOf(api, request, params.project)
      return pipelinePage(api, forms, project, { id: params.id, page: query.page })
    },
    async actions({ request, api, params }) {
      const project = await projectOf(api, request, params.project)
      const one = path`/projects/${project.id}/pipelines/${params.id}`
      return {
        retry: () => asks({ method: 'POST', path: `${one}/retry`, says: 'Its failed jobs run again.' }),
        cancel: () => asks({ method: 'POST', path: `${one}/cancel`, says: 'Its jobs are being canceled.' }),
        delete: () =>
          asks({
            method: 'DELETE',
            path: one,
            says: 'The pipeline is deleted.',
            to: pageOf(project, 'pipelines'),
          }),
      }
    },
  })

  formPage(app, `${PROJECT}/jobs/:id`, {
    params: ById,
    querystring: Type.Object({ before: offset, after: offset }),
    async show({ request, api, params, query, forms }) {
      const project = await projectOf(api, request, params.project)
      return jobPage({ page: request, api, forms }, project, { ...query, id: params.id })
    },
    async actions({ request, api, params }) {
      const project = await projectOf(api, request, params.project)
      const one = path`/projects/${project.id}/jobs/${params.id}`
      const runs = (verb: 'play' | 'retry', says: string) => () =>
        makes(Job, { method: 'POST', path: `${one}/${verb}`, says }, ({ id }) =>
          pageOf(project, `jobs/${id}`),
        )
      return {
        play: runs('play', 'The job waits for a runner.'),
        retry: runs('retry', 'The job runs again.'),
        cancel: () => asks({ method: 'POST', path: `${one}/cancel`, says: 'The job is being canceled.' }),
        erase: () => asks({ method: 'POST', path: `${one}/erase`, says: 'Its log and files are erased.' }),
        keep: () => asks({ method: 'POST', path: `${one}/artifacts/keep`, says: 'Its files are kept.' }),
      }
    },
  })
}

/** Variables whose names were left empty are none. */
function withKeys(variables: unknown): readonly unknown[] {
  const all = typeof variables === 'object' && variables !== null ? Object.values(variables) : []
  return all.filter(
    (one: unknown) => typeof one === 'object' && one !== null && 'key' in one && one.key !== '',
  )
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import { PipelineScheduleDetail } from '#ci/pipeline-schedules/entity.ts'
import { html } from '#platform/http/html.ts'
import { notFound } from '#platform/refusals.ts'
import { integer } from '#platform/http/schema.ts'
import { PROJECT } from '../frame/addresses.ts'
import { asks } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import type { Field } from '../frame/fields.ts'
import { formPage } from '../frame/form-page.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'
import { rightsIn, rightsTo } from '../frame/rights.ts'

const ById = Type.Object({ ...OfProject, id: integer({ minimum: 1 }) })
const nothing = Type.Object({})

/** Forms that make, change, run and delete schedules of pipelines. */
export const scheduleFormRoutes: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, `${PROJECT}/pipeline_schedules/new`, {
    who: 'signed in',
    params: Type.Object(OfProject),
    querystring: nothing,
    async show({ request, api, params, forms }) {
      const project = await projectOf(api, request, params.project)
      await rightsTo('create_pipeline_schedule', api, path`/projects/${project.id}`)
      const fields = fieldsOf({
        description: '',
        ref: project.default_branch ?? '',
        cron: '0 4 * * *',
        cron_timezone: 'UTC',
        active: true,
      })
      return {
        title: `New schedule · ${project.name_with_namespace}`,
        place: projectHeader(project, 'Schedules'),
        body: html`<h1>New schedule</h1>
          ${forms.write({ does: 'make', submit: 'Make the schedule', fields })}`,
      }
    },
    async actions({ request, api, params }) {
      const project = await projectOf(api, request, params.project)
      const to = pageOf(project, 'pipeline_schedules')
      const at = path`/projects/${project.id}/pipeline_schedules`
      return { make: () => asks({ method: 'POST', path: at, says: 'The schedule is made.', to }) }
    },
  })

  formPage(app, `${PROJECT}/pipeline_schedules/:id/edit`, {
    who: 'signed in',
    params: ById,
    querystring: nothing,
    async show({ request, api, params, forms }) {
      const project = await projectOf(api, request, params.project)
      const address = path`/projects/${project.id}`
      const [schedule, rights] = await Promise.all([
        api.get(PipelineScheduleDetail, `${address}${path`/pipeline_schedules/${params.id}`}`),
        rightsIn(api, address),
      ])
      const mayAll = rights.may('admin_pipeline_schedule')
      const isTheirs = schedule.owner?.id === request.identity?.user.id
      if (!mayAll && !(isTheirs && rights.may('create_pipeline_schedule'))) throw notFound()
      const isAnothers = mayAll && !isTheirs
      return {
        title: `Change ${schedule.description} · ${project.name_with_namespace}`,
        place: projectHeader(project, 'Schedules'),
        body: html`<h1>Change ${schedule.description}</h1>
          ${
            isAnothers
              ? html`<p>It runs with the rights of its owner. Only they change it.</p>
                  ${forms.write({ does: 'take', submit: 'Make it mine' })}`
              : forms.write({ does: 'save', submit: 'Save', fields: fieldsOf(schedule) })
          }
          ${mayAll && forms.write({ does: 'play', submit: 'Run it now', looks: 'secondary' })}
          ${forms.write({ does: 'delete', submit: 'Delete', about: 'the schedule', asks: 'Its pipelines stay.' })}`,
      }
    },
    async actions({ request, api, params }) {
      const project = await projectOf(api, request, params.project)
      const one = path`/projects/${project.id}/pipeline_schedules/${params.id}`
      const to = pageOf(project, 'pipeline_schedules')
      return {
        save: () => asks({ method: 'PUT', path: one, says: 'The schedule is changed.', to }),
        take: () => asks({ method: 'POST', path: `${one}/take_ownership`, says: 'The schedule is yours.' }),
        play: () => asks({ method: 'POST', path: `${one}/play`, says: 'Its pipeline is being made.', to }),
        delete: () => asks({ method: 'DELETE', path: one, says: 'The schedule is deleted.', to }),
      }
    },
  })
}

type Shown = Pick<
  Static<typeof PipelineScheduleDetail>,
  'description' | 'ref' | 'cron' | 'cron_timezone' | 'active'
>

const fieldsOf = ({ description, ref, cron, cron_timezone, active }: Shown): readonly Field[] => [
  { name: 'description', label: 'What it is for', value: description, required: true },
  { name: 'ref', label: 'Branch or tag', value: ref, required: true },
  {
    name: 'cron',
    label: 'When',
    hint: 'As crontab has it: minute, hour, day, month, weekday.',
    value: cron,
    required: true,
  },
  {
    name: 'cron_timezone',
    label: 'Time zone',
    hint: 'As Europe/Berlin.',
    value: cron_timezone,
    required: true,
  },
  { name: 'active', label: 'It runs', is: 'check', value: active },
]

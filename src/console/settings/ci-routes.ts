import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { PipelineTrigger } from '#ci/triggers/entity.ts'
import { Variable } from '#ci/variables/entity.ts'
import { Runner } from '#code/jobs/runner.ts'
import { html } from '#platform/http/html.ts'
import { OfContainer, projectsAndGroups } from '../frame/container.ts'
import { formPage } from '../frame/form-page.ts'
import { otherPages, pageNumber } from '../frame/lists.ts'
import { rightsIn } from '../frame/rights.ts'
import { runnerActions, runners, triggerActions, triggers } from './runners.ts'
import { variableActions, variables } from './variables.ts'

const HERE = 'settings/ci_cd'

/** How many runners and trigger tokens are shown. */
const MOST = { per_page: 50 }

/** What pipelines have: variables, runners, and tokens that start them. */
export const ciSettingsRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const { at, open } of projectsAndGroups)
    formPage(app, `${at}/${HERE}`, {
      who: 'signed in',
      params: Type.Object(OfContainer),
      querystring: Type.Object({ page: pageNumber }),
      async show({ request, api, params, query: { page }, forms }) {
        const container = await open(api, request, params.container)
        const { api: address, kind } = container
        const [rights, ofJobs, programs, starting] = await Promise.all([
          rightsIn(api, address),
          api.list(Variable, `${address}/variables`, { page }),
          api.list(Runner, `${address}/runners`, MOST),
          kind === 'project' ? api.findList(PipelineTrigger, `${address}/triggers`, MOST) : undefined,
        ])
        return {
          title: `CI/CD · ${container.title}`,
          place: container.header('CI/CD'),
          body: html`<h1>CI/CD</h1>
            ${variables(forms, ofJobs, rights)} ${otherPages(ofJobs, page, container.page(HERE), {})}
            ${runners(forms, programs, rights, kind)} ${starting && triggers(forms, starting, rights)}`,
        }
      },
      async actions({ request, api, params }) {
        const { api: address, kind } = await open(api, request, params.container)
        return {
          ...variableActions(address),
          ...runnerActions(kind, Number(address.split('/').at(-1)), request.site),
          ...(kind === 'project' && triggerActions(address)),
        }
      },
    })
}

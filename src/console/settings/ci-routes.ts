import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { PipelineTrigger } from '#ci/triggers/entity.ts'
import { Variable } from '#ci/variables/entity.ts'
import { Runner } from '#code/jobs/runner.ts'
import { FreezePeriod } from '#delivery/freeze-periods/entity.ts'
import { ProtectedEnvironment } from '#delivery/protected-environments/entity.ts'
import { html } from '#platform/http/html.ts'
import { OfContainer, projectsAndGroups } from '../frame/container.ts'
import { formPage } from '../frame/form-page.ts'
import { ListParts } from '../frame/list-parts.ts'
import { pageNumber } from '../frame/lists.ts'
import { rightsIn } from '../frame/rights.ts'
import { freezePeriodActions, freezePeriods } from './freeze-periods.ts'
import { protectedEnvironmentActions } from './protected-environment-actions.ts'
import { protectedEnvironments } from './protected-environments.ts'
import { runnerActions, runners, triggerActions, triggers } from './runners.ts'
import { variableActions, variables } from './variables.ts'

const HERE = 'settings/ci_cd'

/** How much of each list is shown at once. */
const MOST = { per_page: 50 }

/** What pipelines have: variables, runners, tokens that start them, and what protects where they deploy to. */
export const ciSettingsRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const { at, open } of projectsAndGroups)
    formPage(app, `${at}/${HERE}`, {
      who: 'signed in',
      params: Type.Object(OfContainer),
      querystring: Type.Object({
        variables: pageNumber,
        runners: pageNumber,
        triggers: pageNumber,
        protected_environments: pageNumber,
        freeze_periods: pageNumber,
      }),
      async show({ request, api, params, query, forms }) {
        const container = await open(api, request, params.container)
        const { api: address, kind } = container
        const isProject = kind === 'project'
        const lists = new ListParts(api, container.page(HERE), query)
        const [rights, ofJobs, programs, starting, guarded, freezes] = await Promise.all([
          rightsIn(api, address),
          lists.list('variables', Variable, `${address}/variables`, MOST),
          lists.list('runners', Runner, `${address}/runners`, MOST),
          isProject ? lists.findList('triggers', PipelineTrigger, `${address}/triggers`, MOST) : undefined,
          // There are none without the plan for them.
          lists.findList(
            'protected_environments',
            ProtectedEnvironment,
            `${address}/protected_environments`,
            MOST,
          ),
          isProject
            ? lists.findList('freeze_periods', FreezePeriod, `${address}/freeze_periods`, MOST)
            : undefined,
        ])
        return {
          title: `CI/CD · ${container.title}`,
          place: container.header('CI/CD'),
          body: html`<h1>CI/CD</h1>
            ${variables(forms, ofJobs, rights)} ${runners(forms, programs, rights, kind)}
            ${starting && triggers(forms, starting, rights)}
            ${guarded && protectedEnvironments(forms, guarded, rights, kind)}
            ${freezes && freezePeriods(forms, freezes, rights)}`,
        }
      },
      async actions({ request, api, params }) {
        const { api: address, kind } = await open(api, request, params.container)
        return {
          ...variableActions(address),
          ...runnerActions(kind, Number(address.split('/').at(-1)), request.site),
          ...protectedEnvironmentActions(address),
          ...(kind === 'project' && { ...triggerActions(address), ...freezePeriodActions(address) }),
        }
      },
    })
}

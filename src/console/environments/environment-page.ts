import { Deployment } from '#delivery/deployments/entity.ts'
import { EnvironmentWithDeployment } from '#delivery/environments/with-deployment.ts'
import { html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { since } from '../frame/moments.ts'
import { pageOf, projectHeader } from '../frame/project.ts'
import type { Forms } from '../frame/forms.ts'
import { rightsIn } from '../frame/rights.ts'
import type { View } from '../frame/show.ts'
import { facts } from '../items/facts.ts'
import { rows } from '../parts/rows.ts'
import { approvalsOf, decision } from './approvals.ts'
import { environmentFields } from './environment-fields.ts'
import { commitAndReference, deploymentRow, environmentState, externalLink } from './deployment-row.ts'

/** An environment, and what was deployed to it. */
export async function environmentPage(
  api: Api,
  forms: Forms,
  project: EitherProject,
  { id, page }: { readonly id: number; readonly page: number },
): Promise<View> {
  const address = path`/projects/${project.id}`
  const [environment, rights] = await Promise.all([
    api.get(EnvironmentWithDeployment, `${address}${path`/environments/${id}`}`),
    rightsIn(api, address),
  ])
  const { name, state, tier, external_url, description, auto_stop_at, last_deployment } = environment
  const [list, texts] = await Promise.all([
    api.list(Deployment, path`/projects/${project.id}/deployments`, {
      environment: name,
      order_by: 'id',
      sort: 'desc',
      page,
      with_permissions: api.isForSomebody || undefined,
    }),
    api.render([description ?? ''], { path: project.path_with_namespace }),
  ])
  return {
    title: `${name} · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Environments'),
    body: html`<h1>${name}</h1>
      <p class="quiet">${environmentState(state)}</p>
      ${facts([
        ['Address', external_url === null ? undefined : externalLink(external_url)],
        ['Now there', last_deployment === null ? undefined : commitAndReference(project, last_deployment)],
        ['Tier', html`${tier}`],
        ['Stops by itself', auto_stop_at === null ? undefined : since(auto_stop_at)],
      ])}
      ${description !== null && description !== '' && html`<div class="text">${texts}</div>`}
      ${
        rights.may('admin_environment') &&
        html`<div class="actions">
          ${forms.write({ does: 'save', opens: 'Change', submit: 'Save', changes: true, fields: environmentFields(environment), updatedAt: environment.updated_at })}
          ${
            state === 'stopped'
              ? forms.write({ does: 'delete', submit: 'Delete', asks: 'Its deployments go, too.' })
              : forms.write({ does: 'stop', submit: 'Stop', asks: 'What runs there may end.' })
          }
        </div>`
      }
      <h2>Deployments</h2>
      ${rows({
        list,
        page,
        address: pageOf(project, `environments/${id}`),
        none: 'Nothing was deployed here yet.',
        row: (one) => html`${deploymentRow(project, one, approvalsOf(one))} ${decision(forms, one)}`,
      })}`,
  }
}

import type { Static } from 'typebox'
import { Deployment } from '#delivery/deployments/entity.ts'
import { Environment } from '#delivery/environments/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { type Api, path } from '../frame/api.ts'
import { addressOf, choices } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { pageOf, projectHeader } from '../frame/project.ts'
import { rightsIn } from '../frame/rights.ts'
import type { View } from '../frame/show.ts'
import { rows } from '../parts/rows.ts'
import { commitAndReference, environmentState, externalLink } from './deployment-row.ts'

type Deployed = Static<typeof Deployment>

export const environmentStates = ['available', 'stopping', 'stopped'] as const
const titles = { All: undefined, Available: 'available', Stopping: 'stopping', Stopped: 'stopped' } as const

interface Asked {
  readonly states?: (typeof environmentStates)[number]
  readonly page: number
}

/** Where a project is deployed to. */
export async function environmentList(
  api: Api,
  project: EitherProject,
  { states, page }: Asked,
): Promise<View> {
  const [list, rights, deployments, blocked] = await Promise.all([
    api.list(Environment, path`/projects/${project.id}/environments`, { states, page }),
    rightsIn(api, path`/projects/${project.id}`),
    // The list does not say what came last: the newest deployments of all do, for what was deployed lately.
    api.besides.findList(Deployment, path`/projects/${project.id}/deployments`, {
      order_by: 'id',
      sort: 'desc',
      status: 'success',
      per_page: 50,
    }),
    api.besides.findList(Deployment, path`/projects/${project.id}/deployments`, {
      status: 'blocked',
      per_page: 50,
    }),
  ])
  const waiting = new Set(blocked?.items.map(({ environment }) => environment.id))
  const latest = new Map<number, Deployed>()
  for (const one of (deployments?.items ?? []).toReversed()) latest.set(one.environment.id, one)
  const here = pageOf(project, 'environments')
  return {
    title: `Environments · ${project.name_with_namespace}`,
    place: projectHeader(project, 'Environments'),
    body: html`<h1>Environments</h1>
      ${rights.may('admin_environment') && html`<p class="actions"><a class="button" href="${here}/new">New environment</a></p>`}
      ${choices(
        'State',
        Object.entries(titles).map(([title, value]) => ({
          title,
          address: addressOf(here, { states: value }),
          here: value === states,
        })),
      )}
      ${rows({
        list,
        page,
        address: here,
        query: { states },
        none: 'There is no environment. A job with the keyword environment makes one when it runs.',
        row: (one) => environmentRow(project, one, latest.get(one.id), waiting.has(one.id)),
      })}`,
  }
}

const environmentRow = (
  project: EitherProject,
  { id, name, state, tier, external_url, updated_at }: Static<typeof Environment>,
  last: Deployed | undefined,
  isWaiting: boolean,
): Html =>
  html`<div>
      <a href="${pageOf(project, `environments/${id}`)}"><strong>${name}</strong></a>
      ${environmentState(state)}
      ${tier !== 'other' && tier !== name && html`<span class="badge">${tier}</span>`}
      ${isWaiting && html`<span class="ci warns">Waits for approval</span>`}
      <p class="quiet">
        ${last === undefined ? 'No deployment lately.' : commitAndReference(project, last)}
        ${external_url !== null && html`· ${externalLink(external_url)}`}
      </p>
    </div>
    <p class="quiet aside">${since(last?.created_at ?? updated_at)}</p>`

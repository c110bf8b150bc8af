import type { Static } from 'typebox'
import type { Deployment, LastDeployment } from '#delivery/deployments/entity.ts'
import type { DeploymentStatus } from '#platform/db/schema.ts'
import { type Html, html } from '#platform/http/html.ts'
import type { EitherProject } from '#tenancy/projects/entity.ts'
import { pathIn } from '../frame/lists.ts'
import { since } from '../frame/moments.ts'
import { person } from '../frame/people.ts'
import { pageOf } from '../frame/project.ts'
import { titled } from '../parts/words.ts'
import { referenceLink } from '../pipelines/pipeline-list.ts'

const looks: Readonly<Record<DeploymentStatus, string>> = {
  created: 'still',
  running: 'busy',
  success: 'good',
  failed: 'bad',
  canceled: 'still',
  skipped: 'still',
  blocked: 'warns',
}

export const deploymentStatus = (status: DeploymentStatus): Html =>
  html`<span class="ci ${looks[status]}">${status === 'success' ? 'Deployed' : titled(status)}</span>`

export const environmentState = (state: string): Html =>
  html`<span class="ci ${state === 'available' ? 'good' : 'still'}">${titled(state)}</span>`

export const commitAndReference = (
  project: EitherProject,
  { sha, ref }: Pick<Static<typeof LastDeployment>, 'sha' | 'ref'>,
): Html =>
  html`<a href="${pageOf(project, `commit/${sha}`)}"><code>${sha.slice(0, 8)}</code></a> of
    ${referenceLink(project, ref)}`

/** @param more what else is known of it */
export const deploymentRow = (project: EitherProject, one: Static<typeof Deployment>, more?: Html): Html =>
  html`<div>
      ${deploymentStatus(one.status)} <strong>#${one.iid}</strong> ${commitAndReference(project, one)}
      ${one.deployable?.commit?.title}
      <p class="quiet">
        ${one.user !== null && person(one.user)}
        ${
          one.deployable !== null &&
          html`· job <a href="${pathIn(one.deployable.web_url)}">${one.deployable.name}</a>`
        }
        ${one.status === 'blocked' && `· waits for ${one.pending_approval_count} ${one.pending_approval_count === 1 ? 'approval' : 'approvals'}`}
      </p>
      ${more}
    </div>
    <p class="quiet aside">${since(one.created_at)}</p>`

/** Where something runs; only addresses of the web are links. */
export const externalLink = (url: string, says = url): Html =>
  /^https?:\/\//i.test(url)
    ? html`<a href="${url}" rel="nofollow noopener">${says}</a>`
    : html`<code>${url}</code>`

import type { Static } from 'typebox'
import type { Deployment } from '#delivery/deployments/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { type Action, asks } from '../frame/action.ts'
import { path } from '../frame/api.ts'
import type { Actions } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import { since } from '../frame/moments.ts'
import { person } from '../frame/people.ts'

type Deployed = Static<typeof Deployment>
type Rule = Deployed['approval_summary']['rules'][number]
type Opinion = Deployed['approvals'][number]

/** Who has approved or rejected a deployment, and whose approval it lacks. */
export function approvalsOf({ status, approvals, approval_summary: { rules } }: Deployed): Html | undefined {
  const isWaiting = status === 'blocked'
  if (approvals.length === 0 && !isWaiting) return undefined
  return html`<ul class="quiet">
    ${isWaiting && rules.map((rule) => html`<li>${lackOf(rule)}</li>`)}
    ${approvals.map((one) => html`<li>${said(one)}</li>`)}
  </ul>`
}

/** `Maintainers: 1 of 2 approvals` */
function lackOf({ access_level_description: who, required_approvals, deployment_approvals }: Rule): Html {
  const given = deployment_approvals.filter(({ status }) => status === 'approved').length
  return html`<bdi>${who}</bdi>: ${Math.min(given, required_approvals)} of ${required_approvals}
    ${required_approvals === 1 ? 'approval' : 'approvals'}`
}

const said = ({ user, status, created_at, comment }: Opinion): Html =>
  html`${person(user)} ${status === 'approved' ? 'approved' : 'rejected'} it
  ${since(created_at)}${comment !== null && html`: <bdi>${comment}</bdi>`}`

/** What somebody decides about a deployment that waits. */
export function decision(
  forms: Forms,
  { id, iid, status, user_permissions: may }: Deployed,
): Html | undefined {
  if (status !== 'blocked' || may?.reject !== true) return undefined
  const { approve, represented_as: names } = may
  const reject = { does: `reject/${id}`, submit: 'Reject: the deployment ends' }
  return forms.write({
    ...(approve ? { does: `approve/${id}`, submit: 'Approve', others: [reject] } : reject),
    about: `deployment #${iid}`,
    opens: approve ? 'Approve or reject…' : 'Reject…',
    fields: [
      { name: 'comment', label: 'Comment', hint: 'Why. Whoever reads deployments sees it.' },
      ...(names.length > 1
        ? [
            {
              name: 'represented_as',
              label: 'For whom you decide',
              is: 'choice',
              options: [
                { value: '', label: 'The first of them that means you' },
                ...names.map((name) => ({ value: name, label: name })),
              ],
            } as const,
          ]
        : []),
    ],
  })
}

/** @param project its id */
export function decisionActions(project: number): Actions {
  const decides =
    (status: 'approved' | 'rejected', says: string) =>
    (id: string): Action =>
    (api, { represented_as, ...parameters }) =>
      asks({
        method: 'POST',
        path: path`/projects/${project}/deployments/${id}/approval`,
        also: { status, ...(represented_as === '' ? {} : { represented_as }) },
        says,
      })(api, parameters)
  return {
    approve: decides('approved', 'You have approved the deployment.'),
    reject: decides('rejected', 'You have rejected the deployment.'),
  }
}

import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type Static, Type } from 'typebox'
import type { CountedApprovalRule } from '#code/merge-requests/approvals/rule-entity.ts'
import { ApprovalSettingsEntity } from '#code/merge-requests/approvals/settings-entity.ts'
import { ApprovalState } from '#code/merge-requests/approvals/state.ts'
import { MergeRequestSingle } from '#code/merge-requests/entity.ts'
import { type Html, html } from '#platform/http/html.ts'
import { integer } from '#platform/http/schema.ts'
import { notFound } from '#platform/refusals.ts'
import { PROJECT } from '../frame/addresses.ts'
import { path } from '../frame/api.ts'
import { formPage } from '../frame/form-page.ts'
import type { Forms } from '../frame/forms.ts'
import { person } from '../frame/people.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'
import { rightsIn } from '../frame/rights.ts'
import { addingRule, changingRule, ruleActions, ruleSummary } from '../settings/approval-rules.ts'
import { section } from '../settings/sections.ts'

type Rule = Static<typeof CountedApprovalRule>

/** Which approvals one merge request needs: by the rules of its project, or by its own. */
export const approvalRulePages: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, `${PROJECT}/merge_requests/:iid/approval_rules`, {
    who: 'signed in',
    params: Type.Object({ ...OfProject, iid: integer({ minimum: 1 }) }),
    querystring: Type.Object({}),
    async show({ request, api, params, forms }) {
      const project = await projectOf(api, request, params.project)
      const address = path`/projects/${project.id}`
      const one = `${address}${path`/merge_requests/${params.iid}`}`
      const [{ title, iid }, state, settings, rights] = await Promise.all([
        api.get(MergeRequestSingle, one),
        api.find(ApprovalState, `${one}/approval_state`),
        api.find(ApprovalSettingsEntity, `${address}/approvals`),
        rightsIn(api, address),
      ])
      // Without the plan there are no rules.
      if (state === undefined || settings === undefined) throw notFound()
      const mayChange =
        rights.may('admin_merge_request') && !settings.disable_overriding_approvers_per_merge_request
      return {
        title: `Approval rules of ${title} (!${iid}) · ${project.name_with_namespace}`,
        place: projectHeader(project, 'Merge requests'),
        body: html`<h1>
            Approval rules of <a href="${pageOf(project, `merge_requests/${iid}`)}">!${iid}</a>
          </h1>
          ${rulesOf(forms, state, mayChange)}`,
      }
    },
    async actions({ request, api, params }) {
      const project = await projectOf(api, request, params.project)
      return ruleActions(path`/projects/${project.id}/merge_requests/${params.iid}`)
    },
  })
}

function rulesOf(
  forms: Forms,
  { rules, approval_rules_overwritten: areOwn }: Static<typeof ApprovalState>,
  mayChange: boolean,
): Html {
  return section({
    title: areOwn ? 'Rules of this merge request' : 'Rules of the project',
    about: areOwn
      ? 'Those of the project do not count here. Without its own rules they do again.'
      : 'They count until the merge request has rules of its own. Each of those must demand as many approvals, or more.',
    rows: rules.map(
      (rule) => html`${ruleSummary(rule)} ${given(rule)} ${mayChange && areOwn && changingRule(forms, rule)}`,
    ),
    none: 'No rule demands an approval.',
    add: mayChange && addingRule(forms),
  })
}

/** Who has approved as a rule demands. */
const given = ({ approved, approved_by: people }: Rule): Html =>
  html`<p class="quiet">
    ${approved ? 'Met' : 'Not met yet'}${people.length > 0 && html`: approved by ${people.map((one) => html`${person(one)} `)}`}
  </p>`

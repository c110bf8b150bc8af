import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { ApprovalRule } from '#code/merge-requests/approvals/rule-entity.ts'
import { ApprovalSettingsEntity } from '#code/merge-requests/approvals/settings-entity.ts'
import { html } from '#platform/http/html.ts'
import { notFound } from '#platform/refusals.ts'
import { PROJECT } from '../frame/addresses.ts'
import { path } from '../frame/api.ts'
import { formPage } from '../frame/form-page.ts'
import { ListParts } from '../frame/list-parts.ts'
import { emptyList, pageNumber } from '../frame/lists.ts'
import { OfProject, pageOf, projectHeader, projectOf } from '../frame/project.ts'
import { rightsIn } from '../frame/rights.ts'
import { approvalActions, approvalRules, approvalSettings } from './approval-rules.ts'

const HERE = 'settings/merge_requests'

/** What a project demands of the approvals of merge requests. */
export const mergeRequestSettingsRoutes: FastifyPluginAsyncTypebox = async (app) => {
  formPage(app, `${PROJECT}/${HERE}`, {
    who: 'signed in',
    params: Type.Object(OfProject),
    querystring: Type.Object({ rules: pageNumber }),
    async show({ request, api, params, query, forms }) {
      const project = await projectOf(api, request, params.project)
      const address = path`/projects/${project.id}`
      const lists = new ListParts(api, pageOf(project, HERE), query)
      const [rights, rules, settings] = await Promise.all([
        rightsIn(api, address),
        lists.findList('rules', ApprovalRule, `${address}/approval_rules`, { per_page: 50 }),
        api.find(ApprovalSettingsEntity, `${address}/approvals`),
      ])
      if (!rights.may('admin_approval_rule')) throw notFound()
      return {
        title: `Approvals · ${project.name_with_namespace}`,
        place: projectHeader(project, 'Approvals'),
        body: html`<h1>Approvals</h1>
          ${
            rules === undefined || settings === undefined
              ? emptyList(
                  'Everybody who may, can approve. That merges wait for approvals takes a license of the instance (Premium).',
                )
              : html`${approvalRules(forms, rules)} ${approvalSettings(forms, settings)}`
          }`,
      }
    },
    async actions({ request, api, params }) {
      const { id } = await projectOf(api, request, params.project)
      return approvalActions(path`/projects/${id}`)
    },
  })
}

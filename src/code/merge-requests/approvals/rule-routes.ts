import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { ByMergeRequest } from '../parameters.ts'
import {
  ApprovalRuleChanges,
  ByOwnRule,
  ByRule,
  NewApprovalRule,
  NewOwnRule,
  OwnRuleChanges,
  Page,
} from './parameters.ts'
import { ApprovalRule, OwnApprovalRule } from './rule-entity.ts'
import {
  findChangeableRule,
  findRule,
  lockPlace,
  placeOf,
  presentOne,
  presentRules,
  withSource,
} from './rule-places.ts'
import { projectRules, ruleOrder, rulesAbout } from './rules.ts'
import { assertDemandsEnough } from './project-demand.ts'
import { approvalRules as tier } from './tier.ts'
import { createRule, deleteRule, updateRule } from './write-rules.ts'

const ofProject = {
  of: 'project',
  collection: '/projects/:id/approval_rules',
  params: ById,
  ruleParams: ByRule,
  Rule: ApprovalRule,
  NewRule: NewApprovalRule,
  Changes: ApprovalRuleChanges,
  writing: writes(project('admin_approval_rule'), { tier }),
  listing: {},
  adding: {
    description:
      'The server ignores users who may not read the code, and groups that you cannot see. A rule that names nobody is ' +
      'an `any_approver` rule unless you say otherwise.',
  },
  changing: {},
} as const

const ofMergeRequest = {
  of: 'merge request',
  collection: '/projects/:id/merge_requests/:merge_request_iid/approval_rules',
  params: ByMergeRequest,
  ruleParams: ByOwnRule,
  Rule: OwnApprovalRule,
  NewRule: NewOwnRule,
  Changes: OwnRuleChanges,
  writing: writes(project('admin_merge_request'), { tier }),
  listing: {
    description: 'Those of the project that are about its target branch, unless it has rules of its own.',
  },
  adding: {
    description:
      'From the first one on, the rules of the project do not count for it, but it needs as many approvals as they demand. ' +
      'A rule that demands fewer is refused.',
  },
  changing: {
    description:
      'Rules of the project are changed there. Fewer approvals than the project demands are refused.',
  },
} as const

/** The rules that say how many approvals merge requests need, and whose: those of projects, and those of merge requests. */
export const approvalRuleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const reading = reads(project('read_merge_request'), { tier })

  for (const home of [ofProject, ofMergeRequest]) {
    const { of, collection, params, ruleParams, Rule, writing } = home
    const single = `${collection}/:approval_rule_id` as const

    app.get(
      collection,
      {
        config: reading,
        schema: {
          summary: `List the approval rules of a ${of}`,
          ...home.listing,
          params,
          querystring: Page,
          response: { 200: Type.Array(Rule) },
        },
      },
      async (req, reply) => {
        const place = await placeOf(req, req.params)
        const rows =
          place.mergeRequestId === null
            ? await paginate(req, reply, projectRules(db, req.viewer, place.project.id), ruleOrder)
            : await paginate(req, reply, rulesAbout(db, req.viewer, place.mergeRequestId), ruleOrder)
        return presentRules(req, place, rows)
      },
    )

    app.get(
      single,
      {
        config: reading,
        schema: {
          summary: `Get an approval rule of a ${of}`,
          params: ruleParams,
          response: { 200: Rule },
        },
      },
      async (req) => {
        const place = await placeOf(req, req.params)
        return presentOne(req, place, await findRule(db, place, req.params.approval_rule_id))
      },
    )

    app.post(
      collection,
      {
        config: writing,
        schema: {
          summary: `Add an approval rule to a ${of}`,
          ...home.adding,
          params,
          body: home.NewRule,
          response: { 201: Rule },
        },
      },
      async (req) => {
        const { place, row } = await req.write(async (tx) => {
          const place = await lockPlace(tx, req, req.params)
          const id = await createRule(tx, place, await withSource(tx, place, req.body))
          await assertDemandsEnough(tx, place, id)
          return { place, row: await findRule(tx.db, place, id) }
        })
        return presentOne(req, place, row)
      },
    )

    app.put(
      single,
      {
        config: writing,
        schema: {
          summary: `Change an approval rule of a ${of}`,
          ...home.changing,
          params: ruleParams,
          body: home.Changes,
          response: { 200: Rule },
        },
      },
      async (req) => {
        const { approval_rule_id: id } = req.params
        const { place, row } = await req.write(async (tx) => {
          const place = await lockPlace(tx, req, req.params)
          await updateRule(tx, place, await findChangeableRule(tx, place, id), req.body)
          if (req.body.approvals_required !== undefined) await assertDemandsEnough(tx, place, id)
          return { place, row: await findRule(tx.db, place, id) }
        })
        return presentOne(req, place, row)
      },
    )

    app.delete(
      single,
      {
        config: writing,
        schema: {
          summary: `Delete an approval rule of a ${of}`,
          params: ruleParams,
          response: { 204: NoContent },
        },
      },
      async (req) => {
        await req.write(async (tx) => {
          const place = await lockPlace(tx, req, req.params)
          await deleteRule(tx, place, await findChangeableRule(tx, place, req.params.approval_rule_id))
        })
      },
    )
  }
}

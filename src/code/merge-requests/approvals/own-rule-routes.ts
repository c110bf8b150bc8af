import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden } from '#platform/refusals.ts'
import { paginate } from '#platform/http/pagination.ts'
import { NoContent } from '#platform/http/schema.ts'
import { findOne } from '../diffs/routes.ts'
import { ByMergeRequest } from '../parameters.ts'
import { lockMergeRequest } from '../queries.ts'
import { ByOwnRule, NewOwnRule, OwnRuleChanges, Page } from './parameters.ts'
import { OwnApprovalRule, presentOwnRule } from './rule-entity.ts'
import { findProjectRule, findRuleAbout, ruleOrder, rulesAbout } from './rules.ts'
import { approvalSettingsOf } from './settings.ts'
import { approvalRules as tier } from './tier.ts'
import { assertDemandsEnough } from './project-demand.ts'
import { createRule, deleteRule, type NewRule, type RulePlace, updateRule } from './write-rules.ts'

const path = '/projects/:id/merge_requests/:merge_request_iid/approval_rules'
const reading = reads(project('read_merge_request'), { tier })
const writing = writes(project('admin_merge_request'), { tier })

/** The rules that count for a merge request. Its own ones stand in for those of the project. */
export const ownRuleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    path,
    {
      config: reading,
      schema: {
        summary: 'List the approval rules of a merge request',
        description: 'Those of the project that are about its target branch, unless it has rules of its own.',
        params: ByMergeRequest,
        querystring: Page,
        response: { 200: Type.Array(OwnApprovalRule) },
      },
    },
    async (req, reply) => {
      const { id } = await findOne(req, req.params.merge_request_iid)
      const rows = await paginate(req, reply, rulesAbout(db, req.viewer, id), ruleOrder)
      return rows.map((row) => presentOwnRule(row, req.site))
    },
  )

  app.get(
    `${path}/:approval_rule_id`,
    {
      config: reading,
      schema: {
        summary: 'Get an approval rule of a merge request',
        params: ByOwnRule,
        response: { 200: OwnApprovalRule },
      },
    },
    async (req) => {
      const { id } = await findOne(req, req.params.merge_request_iid)
      return presentOwnRule(await findRuleAbout(db, req.viewer, id, req.params.approval_rule_id), req.site)
    },
  )

  app.post(
    path,
    {
      config: writing,
      schema: {
        summary: 'Add an approval rule to a merge request',
        description:
          'From the first one on, the rules of the project do not count for it, but it needs as many approvals as they demand. ' +
          'A rule that demands fewer is refused.',
        params: ByMergeRequest,
        body: NewOwnRule,
        response: { 201: OwnApprovalRule },
      },
    },
    async (req) => {
      const { approval_project_rule_id: source, ...given } = req.body
      const row = await req.write(async (tx) => {
        const place = await placeOf(tx, req, req.params.merge_request_iid)
        const copied = source === undefined ? {} : await copyOf(tx, place, source)
        const id = await createRule(tx, place, { ...given, ...copied })
        await assertDemandsEnough(tx, place, id)
        return findRuleAbout(tx.db, req.viewer, place.mergeRequestId, id)
      })
      return presentOwnRule(row, req.site)
    },
  )

  app.put(
    `${path}/:approval_rule_id`,
    {
      config: writing,
      schema: {
        summary: 'Change an approval rule of a merge request',
        description:
          'Rules of the project are changed there. Fewer approvals than the project demands are refused.',
        params: ByOwnRule,
        body: OwnRuleChanges,
        response: { 200: OwnApprovalRule },
      },
    },
    async (req) => {
      const { approval_rule_id: id } = req.params
      const row = await req.write(async (tx) => {
        const place = await placeOf(tx, req, req.params.merge_request_iid)
        await updateRule(tx, place, await ownRule(tx, place, id), req.body)
        if (req.body.approvals_required !== undefined) await assertDemandsEnough(tx, place, id)
        return findRuleAbout(tx.db, req.viewer, place.mergeRequestId, id)
      })
      return presentOwnRule(row, req.site)
    },
  )

  app.delete(
    `${path}/:approval_rule_id`,
    {
      config: writing,
      schema: {
        summary: 'Delete an approval rule of a merge request',
        params: ByOwnRule,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      await req.write(async (tx) => {
        const place = await placeOf(tx, req, req.params.merge_request_iid)
        await deleteRule(tx, place, await ownRule(tx, place, req.params.approval_rule_id))
      })
    },
  )
}

type OwnPlace = RulePlace & { readonly mergeRequestId: number }

/** Locks the merge request. @throws 403 where the project keeps its rules for all */
async function placeOf(tx: Tx, req: FastifyRequest, iid: number): Promise<OwnPlace> {
  const { viewer } = req
  const { container } = req.project()
  const { id } = await lockMergeRequest(tx, viewer, req.project(), iid)
  const settings = await approvalSettingsOf(tx.db, container.id)
  if (settings.disable_overriding_approvers_per_merge_request) throw forbidden()
  return { project: container, mergeRequestId: id, viewer }
}

/** @throws 404, and 403 for a rule of the project */
async function ownRule(tx: Tx, { viewer, mergeRequestId }: OwnPlace, id: number) {
  const found = await findRuleAbout(tx.db, viewer, mergeRequestId, id)
  if (found.merge_request_id === null) throw forbidden()
  return found
}

async function copyOf(
  tx: Tx,
  { viewer, project: { id } }: RulePlace,
  source: number,
): Promise<Partial<NewRule>> {
  const rule = await findProjectRule(tx.db, viewer, id, source)
  return {
    source_rule_id: rule.id,
    name: rule.name,
    rule_type: rule.rule_type,
    user_ids: rule.users.map((user) => user.id),
    group_ids: rule.groups.map((group) => group.id),
  }
}

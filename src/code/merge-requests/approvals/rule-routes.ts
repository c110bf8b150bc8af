import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { isAnyOf } from '#platform/db/any-of.ts'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { protectedReferences } from '#code/protected-references/rows.ts'
import { ApprovalRuleChanges, ByRule, NewApprovalRule, Page } from './parameters.ts'
import { ApprovalRule, presentRule } from './rule-entity.ts'
import { findProjectRule, projectRules, ruleOrder, type RuleRow } from './rules.ts'
import { approvalRules as tier } from './tier.ts'
import { createRule, deleteRule, type RulePlace, updateRule } from './write-rules.ts'

const path = '/projects/:id/approval_rules'
const reading = reads(project('read_merge_request'), { tier })
const writing = writes(project('admin_approval_rule'), { tier })

/** The rules of projects that say how many approvals merge requests need, and whose. */
export const approvalRuleRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    path,
    {
      config: reading,
      schema: {
        summary: 'List the approval rules of a project',
        params: ById,
        querystring: Page,
        response: { 200: Type.Array(ApprovalRule) },
      },
    },
    async (req, reply) => {
      const list = projectRules(db, req.viewer, req.project().container.id)
      return presentRules(req, await paginate(req, reply, list, ruleOrder))
    },
  )

  app.get(
    `${path}/:approval_rule_id`,
    {
      config: reading,
      schema: {
        summary: 'Get an approval rule of a project',
        params: ByRule,
        response: { 200: ApprovalRule },
      },
    },
    async (req) => {
      const { approval_rule_id } = req.params
      return one(req, await findProjectRule(db, req.viewer, req.project().container.id, approval_rule_id))
    },
  )

  app.post(
    path,
    {
      config: writing,
      schema: {
        summary: 'Add an approval rule to a project',
        description:
          'The server ignores users who may not read the code, and groups that you cannot see. A rule that names nobody is ' +
          'an `any_approver` rule unless you say otherwise.',
        params: ById,
        body: NewApprovalRule,
        response: { 201: ApprovalRule },
      },
    },
    async (req) => {
      const place = placeOf(req)
      const row = await req.write(async (tx) => {
        await lockParent(tx, place.project.namespace_id)
        const id = await createRule(tx, place, req.body)
        return findProjectRule(tx.db, req.viewer, place.project.id, id)
      })
      return one(req, row)
    },
  )

  app.put(
    `${path}/:approval_rule_id`,
    {
      config: writing,
      schema: {
        summary: 'Change an approval rule of a project',
        params: ByRule,
        body: ApprovalRuleChanges,
        response: { 200: ApprovalRule },
      },
    },
    async (req) => {
      const place = placeOf(req)
      const { approval_rule_id: id } = req.params
      const row = await req.write(async (tx) => {
        await lockParent(tx, place.project.namespace_id)
        await updateRule(tx, place, await findProjectRule(tx.db, req.viewer, place.project.id, id), req.body)
        return findProjectRule(tx.db, req.viewer, place.project.id, id)
      })
      return one(req, row)
    },
  )

  app.delete(
    `${path}/:approval_rule_id`,
    {
      config: writing,
      schema: {
        summary: 'Delete an approval rule of a project',
        params: ByRule,
        response: { 204: NoContent },
      },
    },
    async (req) => {
      const place = placeOf(req)
      await req.write(async (tx) => {
        await lockParent(tx, place.project.namespace_id)
        const { approval_rule_id: id } = req.params
        await deleteRule(tx, place, await findProjectRule(tx.db, req.viewer, place.project.id, id))
      })
    },
  )
}

const placeOf = (req: FastifyRequest): RulePlace => ({
  project: req.project().container,
  mergeRequestId: null,
  viewer: req.viewer,
})

async function presentRules(req: FastifyRequest, rows: readonly RuleRow[]) {
  const ids = rows.flatMap(({ branch_ids }) => branch_ids)
  const all = protectedReferences(req.server.db, req.project().container.id, 'branch')
  const branches = ids.length === 0 ? [] : await all.where(isAnyOf('p.id', ids)).orderBy('p.id').execute()
  return rows.map((row) => presentRule(row, branches, req.site))
}

async function one(req: FastifyRequest, row: RuleRow) {
  const [presented] = await presentRules(req, [row])
  if (presented === undefined) throw new Error('presentRules keeps every rule')
  return presented
}

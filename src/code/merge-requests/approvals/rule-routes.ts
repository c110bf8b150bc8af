import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads } from '#platform/access/route-access.ts'
import { paginate } from '#platform/http/pagination.ts'
import { NoContent } from '#platform/http/schema.ts'
import { Page } from './parameters.ts'
import { ofMergeRequest, ofProject } from './rule-homes.ts'
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

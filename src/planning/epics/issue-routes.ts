import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { group, reads, writes } from '#platform/access/route-access.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { inlineBytes, sendLong } from '#platform/http/long-rows.ts'
import { ordered } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { lockReferencedRows } from '#planning/noteables/items/lock-referred.ts'
import { audienceOf, presentIssue } from '#planning/issues/present.ts'
import { assignIssue } from './assign-issue.ts'
import { EpicIssue, EpicIssueLink } from './entity.ts'
import { findEpicIssue, issuesOfEpic, lockLinkableIssue, type EpicIssueRow } from './issue-queries.ts'
import { lackedBy } from '#planning/noteables/items/lacking.ts'
import { epicIssueOrder } from './list-order.ts'
import { ByAddedIssue, ByEpic, ByIssueOfEpic, Neighbours, EpicPages } from './parameters.ts'
import { epicAudienceOf, presentEpic } from './present.ts'
import { type EpicRow, findEpic, lockEpic } from './queries.ts'
import { reorder } from './reorder.ts'
import { epicTier as tier } from './tier.ts'
import { epicsApi as deprecated } from './identity.ts'

const linking = writes(group('link_epic'), { tier })

/** Issues of epics. */
export const epicIssueRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/groups/:id/epics/:epic_iid/issues',
    {
      config: reads(group('read_epic'), { tier }),
      schema: {
        summary: 'List the issues of an epic',
        description: 'In their manual order, without those that you cannot see.',
        deprecated,
        params: ByEpic,
        querystring: EpicPages,
        response: { 200: Type.Array(EpicIssue) },
      },
    },
    async (req, reply) => {
      const { id } = await findEpic(db, req.viewer, req.group(), { iid: req.params.epic_iid })
      const issues = (longest?: number) => issuesOfEpic(db, req.viewer, id, longest)
      const rows = await paginate(req, reply, issues(inlineBytes(req.query)), epicIssueOrder)
      return sendLong(req, reply, longIssues(rows, issues), (some) => presentEpicIssues(some, req))
    },
  )

  app.post(
    '/groups/:id/epics/:epic_iid/issues/:issue_id',
    {
      config: linking,
      schema: {
        summary: 'Put an issue into an epic',
        description:
          'Needs a membership in the project of the issue, too. An issue that was in another epic leaves that one. ' +
          'An epic can have 1,000 issues.',
        deprecated,
        params: ByAddedIssue,
        refuses: [422],
        response: { 201: EpicIssueLink },
      },
    },
    async (req) => {
      return req.write(async (tx) => {
        const { viewer, params } = req
        const epic = await findEpic(tx.db, viewer, req.group(), { iid: params.epic_iid })
        await lockReferencedRows(tx, { noteables: [epic.id] })
        const issue = await lockLinkableIssue(tx, viewer, params.issue_id)
        await assignIssue(tx, issue, epic)
        return linkOf(tx, req, epic, { 'k.issue_id': issue.id })
      })
    },
  )

  app.put(
    '/groups/:id/epics/:epic_iid/issues/:epic_issue_id',
    {
      config: linking,
      schema: {
        summary: 'Put an issue of an epic before or after another one',
        deprecated,
        params: ByIssueOfEpic,
        body: Neighbours,
        refuses: [412],
        response: { 200: Type.Array(EpicIssue) },
      },
    },
    async (req, reply) => {
      const { id } = await req.write(async (tx) => {
        const epic = await lockEpic(tx, req.viewer, req.group(), { iid: req.params.epic_iid })
        assertUnmodified(req, epic.updated_at)
        const visible = (ids: readonly number[]) =>
          issuesOfEpic(tx.db, req.viewer, epic.id, 0).where(isAnyOf('k.id', ids)).execute()
        await reorder(tx, 'issues', epic.id, req.params.epic_issue_id, { ...req.body, visible })
        return epic
      })
      const issues = (longest?: number) => issuesOfEpic(db, req.viewer, id, longest)
      const { by, sort } = epicIssueOrder
      const rows = await ordered(issues(inlineBytes()), epicIssueOrder, by, sort).execute()
      return sendLong(req, reply, longIssues(rows, issues), (some) => presentEpicIssues(some, req))
    },
  )

  app.delete(
    '/groups/:id/epics/:epic_iid/issues/:epic_issue_id',
    {
      config: linking,
      schema: {
        summary: 'Take an issue out of an epic',
        deprecated,
        params: ByIssueOfEpic,
        refuses: [412],
        response: { 200: EpicIssueLink },
      },
    },
    (req) =>
      req.write(async (tx) => {
        const { viewer, params } = req
        const epic = await findEpic(tx.db, viewer, req.group(), { iid: params.epic_iid })
        const { id } = await findEpicIssue(tx.db, viewer, epic.id, { 'k.id': params.epic_issue_id })
        await lockReferencedRows(tx, { noteables: [epic.id] })
        const issue = await lockLinkableIssue(tx, viewer, id)
        assertUnmodified(req, issue.updated_at)
        const link = await linkOf(tx, req, epic, { 'k.id': params.epic_issue_id })
        await assignIssue(tx, issue, null)
        return link
      }),
  )
}

async function linkOf(
  tx: Tx,
  req: FastifyRequest,
  epic: EpicRow,
  by: Parameters<typeof findEpicIssue>[3],
): Promise<Static<typeof EpicIssueLink>> {
  const issue = await findEpicIssue(tx.db, req.viewer, epic.id, by)
  return {
    id: issue.epic_issue_id,
    relative_position: issue.epic_position,
    epic: presentEpic(epic, epicAudienceOf(req)),
    issue: presentIssue(issue, audienceOf(req)),
  }
}

const longIssues = (
  rows: readonly EpicIssueRow[],
  issues: (longest?: number) => ReturnType<typeof issuesOfEpic>,
) => ({
  rows,
  lacks: lackedBy,
  whole: (ids: readonly number[]) => issues().where(isAnyOf('i.id', ids)).execute(),
})

const presentEpicIssues = (rows: readonly EpicIssueRow[], req: FastifyRequest): Static<typeof EpicIssue>[] =>
  rows.map((row) => ({
    ...presentIssue(row, audienceOf(req)),
    epic_issue_id: row.epic_issue_id,
    relative_position: row.epic_position,
  }))

import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden } from '#platform/refusals.ts'
import { onlyOne } from '#platform/sequences.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { protectedReferences } from '#code/protected-references/rows.ts'
import { findOne } from '../diffs/routes.ts'
import { lockMergeRequest } from '../queries.ts'
import { type ApprovalRule, type OwnApprovalRule, presentOwnRule, presentRule } from './rule-entity.ts'
import { findProjectRule, findRuleAbout, type RuleRow } from './rules.ts'
import { approvalSettingsOf } from './settings.ts'
import type { NewRule, RulePlace } from './write-rules.ts'

/** What a path says of the place of a rule. */
type PlaceParams = { readonly id: string } | { readonly merge_request_iid: number }

const placeIn = (req: FastifyRequest, mergeRequestId: number | null): RulePlace => ({
  project: req.project().container,
  mergeRequestId,
  viewer: req.viewer,
})

/** The place whose rules a request reads. @throws 404 */
export const placeOf = async (req: FastifyRequest, params: PlaceParams): Promise<RulePlace> =>
  placeIn(req, 'merge_request_iid' in params ? (await findOne(req, params.merge_request_iid)).id : null)

/**
 * Locks the place whose rules a request changes.
 * @throws 404, and 403 for merge requests of a project that keeps its rules for all
 */
export async function lockPlace(tx: Tx, req: FastifyRequest, params: PlaceParams): Promise<RulePlace> {
  const { container } = req.project()
  if (!('merge_request_iid' in params)) {
    await lockParent(tx, container.namespace_id)
    return placeIn(req, null)
  }
  const { id } = await lockMergeRequest(tx, req.viewer, req.project(), params.merge_request_iid)
  const settings = await approvalSettingsOf(tx.db, container.id)
  if (settings.disable_overriding_approvers_per_merge_request) throw forbidden()
  return placeIn(req, id)
}

/** A rule that counts in a place. @throws 404 */
export const findRule = (
  db: Db | Tx['db'],
  { project, mergeRequestId, viewer }: RulePlace,
  id: number,
): Promise<RuleRow> =>
  mergeRequestId === null
    ? findProjectRule(db, viewer, project.id, id)
    : findRuleAbout(db, viewer, mergeRequestId, id)

/** A rule that belongs to a place. @throws 404, and 403 for a rule of the project where the place is a merge request */
export async function findChangeableRule(tx: Tx, place: RulePlace, id: number): Promise<RuleRow> {
  const rule = await findRule(tx.db, place, id)
  if (rule.merge_request_id === null && place.mergeRequestId !== null) throw forbidden()
  return rule
}

/** A new rule with what it copies from a rule of the project. @throws 404 */
export async function withSource(
  tx: Tx,
  { viewer, project }: RulePlace,
  { approval_project_rule_id: source, ...given }: NewRule & { readonly approval_project_rule_id?: number },
): Promise<NewRule> {
  if (source === undefined) return given
  const rule = await findProjectRule(tx.db, viewer, project.id, source)
  return {
    ...given,
    source_rule_id: rule.id,
    name: rule.name,
    rule_type: rule.rule_type,
    user_ids: rule.users.map((user) => user.id),
    group_ids: rule.groups.map((group) => group.id),
  }
}

/** Rules as the answers of their place show them. */
export async function presentRules(
  req: FastifyRequest,
  place: RulePlace,
  rows: readonly RuleRow[],
): Promise<(Static<typeof ApprovalRule> | Static<typeof OwnApprovalRule>)[]> {
  if (place.mergeRequestId !== null) return rows.map((row) => presentOwnRule(row, req.site))
  const ids = rows.flatMap(({ branch_ids }) => branch_ids)
  const all = protectedReferences(req.server.db, place.project.id, 'branch')
  const branches = ids.length === 0 ? [] : await all.where(isAnyOf('p.id', ids)).orderBy('p.id').execute()
  return rows.map((row) => presentRule(row, branches, req.site))
}

export const presentOne = async (req: FastifyRequest, place: RulePlace, row: RuleRow) =>
  onlyOne(await presentRules(req, place, [row]))

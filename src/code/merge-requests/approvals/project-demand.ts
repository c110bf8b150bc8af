import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { badRequest } from '#platform/refusals.ts'
import { dayOf } from '#platform/http/time.ts'
import { demandedByProject } from './sql.ts'
import type { RulePlace } from './write-rules.ts'

interface Demand {
  readonly given: number
  /** What the rule of the project demands of which this one is a copy. */
  readonly source: number | null
  /** All rules of the merge request together, and all of the project that would count without them. */
  readonly own: number
  readonly project: number
}

/**
 * Refuses a rule of a merge request, which is locked and has it already, that demands less than the project. A copy
 * stands for its rule of the project, any other rule for all of them together with its neighbours. Rules of projects
 * may demand anything.
 * @throws 400
 */
export async function assertDemandsEnough(
  tx: Tx,
  { mergeRequestId }: Pick<RulePlace, 'mergeRequestId'>,
  ruleId: number,
): Promise<void> {
  if (mergeRequestId === null) return
  const { rows } = await sql<Demand>`
    select o.approvals_required as given,
      (select s.approvals_required from approval_rules s where s.id = o.source_rule_id) as source,
      (select sum(a.approvals_required)::integer from approval_rules a where a.merge_request_id = mr.id) as own,
      ${demandedByProject(dayOf(tx.now))} as project
    from approval_rules o join merge_requests mr on mr.id = o.merge_request_id
    where o.id = ${ruleId} and mr.id = ${mergeRequestId}`.execute(tx.db)
  for (const { given, source, own, project } of rows) {
    if (source !== null && given < source)
      throw badRequest(`approvals_required must be at least ${source}, as in the rule of the project`)
    if (source === null && own < project)
      throw badRequest(
        `the rules of the merge request must demand at least ${project} approvals, as the project does`,
      )
  }
}

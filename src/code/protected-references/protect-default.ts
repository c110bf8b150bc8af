import { levels } from '#platform/access/roles.ts'
import type { ProtectedAction } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { readSettings } from '#platform/settings/settings.ts'
import type { RecordStep } from '#code/repositories/record-changes.ts'
import type { BranchProtection } from '#tenancy/groups/branch-protection.ts'
import { defaultProtectionOf, protectsNothing } from './default-protection.ts'
import type { NewGrant } from './grantees.ts'
import { ADMINISTRATORS, NOBODY } from './may.ts'
import { insertProtection, recordProtected } from './protect.ts'
import { findProtected } from './rows.ts'

/** Protects the first branch of a project, which becomes its default branch. */
export const protectDefaultBranch: RecordStep = {
  async prepare({ row, summary, isFirst }) {
    const { kind, project_id: projectId } = row
    const branch = summary.default_branch
    if (!isFirst || kind !== 'project' || projectId === null || branch === null) return async () => {}
    return (tx) => protectFirst(tx, projectId, branch)
  },
  async adopt(tx, { projectId, row }) {
    if (row.default_branch !== null) await protectFirst(tx, projectId, row.default_branch)
  },
}

async function protectFirst(tx: Tx, projectId: number, name: string): Promise<void> {
  const { default_branch_protection_defaults: ofInstance } = await readSettings(tx.db)
  const protection = await defaultProtectionOf(tx.db, projectId, ofInstance)
  if (protectsNothing(protection)) return
  const made = await insertProtection(tx, projectId, {
    kind: 'branch',
    name,
    allow_force_push: protection.allow_force_push,
    grants: grantsOf(protection),
  })
  if (!made) return
  const { namespace } = await tx.db
    .selectFrom('projects')
    .select('project_namespace_id as namespace')
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow()
  recordProtected(tx, namespace, 'branch', await findProtected(tx.db, projectId, 'branch', name))
}

function grantsOf({ allowed_to_push, allowed_to_merge }: BranchProtection): NewGrant[] {
  const to = (action: ProtectedAction, allowed: BranchProtection['allowed_to_push']) =>
    allowed.map(({ access_level }) => grant(action, known(access_level)))
  return [
    ...to('push', allowed_to_push),
    ...to('merge', allowed_to_merge),
    grant('unprotect', levels.maintainer),
  ]
}

const grant = (action: ProtectedAction, access_level: number): NewGrant => ({
  action,
  access_level,
  user_id: null,
  group_id: null,
})

/** Groups may store any number; the next stricter level that branches know counts. */
function known(level: number): number {
  const all = [NOBODY, levels.developer, levels.maintainer, ADMINISTRATORS]
  return all.find((one) => level <= one) ?? ADMINISTRATORS
}

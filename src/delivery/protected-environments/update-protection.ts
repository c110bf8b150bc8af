import { sql } from 'kysely'
import type { GroupContainer, ProjectContainer } from '#platform/access/authorize.ts'
import type { EnvironmentGrantPurpose } from '#platform/db/schema.ts'
import { recordset } from '#platform/db/recordset.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { changesBetween } from '#platform/facts/changes.ts'
import { record } from '#platform/facts/record.ts'
import { assertMayBeNamed, lockGrantees } from './check-grantees.ts'
import { inWords } from './entity.ts'
import { assertSomebody, purposes } from './protect.ts'
import { findProtected, type Grant, lockProtected, type ProtectedEnvironmentRow } from './rows.ts'
import { type GrantChange, resolveGrants, subjectOf, type GrantRequest } from './wishes.ts'

export interface ProtectionChanges {
  readonly deploy_access_levels?: readonly GrantChange[]
  readonly required_approval_count?: number
  readonly approval_rules?: readonly GrantChange[]
}

/**
 * Changes who may deploy, and who must approve. What is there already changes nothing. A group may remove everybody who may
 * deploy: then nobody may.
 * @throws 404 when it is not protected; 400 for ids that are not of it, and for users and groups that cannot be named; 422
 * when nobody could deploy any more to an environment of a project
 */
export async function updateProtection(
  tx: Tx,
  container: ProjectContainer | GroupContainer,
  name: string,
  changes: ProtectionChanges,
): Promise<ProtectedEnvironmentRow> {
  const wishes = { deploy: changes.deploy_access_levels, approve: changes.approval_rules }
  const named = [...(wishes.deploy ?? []), ...(wishes.approve ?? [])]
  await lockGrantees(
    tx,
    named.flatMap(({ user_id }) => user_id ?? []),
    named.flatMap(({ group_id }) => group_id ?? []),
  )
  const known = await lockProtected(tx, container, name)
  const edits = purposes.flatMap((purpose) => {
    const wanted = wishes[purpose]
    return wanted === undefined ? [] : [editOf(purpose, known.grants, wanted)]
  })
  const deploying = edits.find(({ purpose }) => purpose === 'deploy')
  if (container.kind === 'project' && deploying?.differs) assertSomebody(deploying.wanted)
  await assertMayBeNamed(
    tx,
    container,
    edits.flatMap(({ purpose, named: grants }) => grants.map((grant) => ({ purpose, grant }))),
  )
  const { required_approval_count: count = known.required_approval_count } = changes
  if (count === known.required_approval_count && !edits.some(({ differs }) => differs)) return known
  for (const edit of edits) await apply(tx, known.id, edit)
  await tx.db
    .updateTable('protected_environments')
    .set({ required_approval_count: count, updated_at: tx.now })
    .where('id', '=', known.id)
    .execute()
  const changed = await findProtected(tx.db, container, name)
  recordChanges(tx, container, known, changed)
  return changed
}

/** What becomes of the grants of one purpose. */
interface Edit {
  readonly purpose: EnvironmentGrantPurpose
  readonly wanted: readonly GrantRequest[]
  readonly removed: readonly number[]
  /** Those that name somebody whom no grant with their id named. */
  readonly named: readonly GrantRequest[]
  readonly differs: boolean
}

function editOf(
  purpose: EnvironmentGrantPurpose,
  grants: readonly Grant[],
  wishes: readonly GrantChange[],
): Edit {
  const known = grants.filter((grant) => grant.purpose === purpose)
  const wanted = resolveGrants(purpose, known, wishes)
  const before = new Map<number | undefined, Grant>(known.map((grant) => [grant.id, grant]))
  const isNew = (grant: GrantRequest) => {
    const was = before.get(grant.id)
    return was === undefined || subjectOf(was) !== subjectOf(grant)
  }
  const removed = known.filter(({ id }) => !wanted.some((grant) => grant.id === id)).map(({ id }) => id)
  const same =
    wanted.length === known.length &&
    wanted.every((grant, at) => {
      const was = known[at]
      return (
        was !== undefined &&
        was.id === grant.id &&
        subjectOf(was) === subjectOf(grant) &&
        was.group_inheritance_type === grant.group_inheritance_type &&
        was.required_approvals === grant.required_approvals
      )
    })
  return { purpose, wanted, removed, named: wanted.filter(isNew), differs: !same }
}

async function apply(tx: Tx, id: number, { purpose, wanted, removed, differs }: Edit): Promise<void> {
  if (!differs) return
  if (removed.length > 0) {
    await tx.db
      .deleteFrom('protected_environment_grants')
      .where('protected_environment_id', '=', id)
      .where((eb) => eb('id', '=', eb.fn.any(eb.val(removed))))
      .execute()
  }
  const rows = wanted.map((grant, position) => ({ ...grant, position }))
  const values = sql`${recordset('protected_environment_grants', rows)} as w`
  // One statement, because two grants may change places.
  await sql`
    update protected_environment_grants e set position = w.position, access_level = w.access_level, user_id = w.user_id,
      group_id = w.group_id, group_inheritance_type = w.group_inheritance_type, required_approvals = w.required_approvals
    from ${values} where e.id = w.id and e.protected_environment_id = ${id}
      and (e.position, e.access_level, e.user_id, e.group_id, e.group_inheritance_type, e.required_approvals)
        is distinct from
        (w.position, w.access_level, w.user_id, w.group_id, w.group_inheritance_type, w.required_approvals)`.execute(
    tx.db,
  )
  await sql`
    insert into protected_environment_grants (protected_environment_id, purpose, position, access_level, user_id, group_id,
      group_inheritance_type, required_approvals)
    select ${id}, ${purpose}::environment_grant_purpose, w.position, w.access_level, w.user_id, w.group_id,
      w.group_inheritance_type, w.required_approvals
    from ${values} where w.id is null order by w.position`.execute(tx.db)
}

function recordChanges(
  tx: Tx,
  { namespace_id }: ProjectContainer | GroupContainer,
  known: ProtectedEnvironmentRow,
  changed: ProtectedEnvironmentRow,
): void {
  const toTell = ({ required_approval_count, grants }: ProtectedEnvironmentRow) => ({
    deploy_access_levels: inWords(grants, 'deploy'),
    required_approval_count,
    approval_rules: inWords(grants, 'approve'),
  })
  const changes = changesBetween(toTell(known), toTell(changed))
  record(tx, {
    name: 'environment protection changed',
    namespace: namespace_id,
    target: { type: 'ProtectedEnvironment', id: known.id },
    details: { name: known.name, fields: Object.keys(changes), changes },
  })
}

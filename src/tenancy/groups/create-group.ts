import { announceAddressRules } from '#platform/access/address-rules.ts'
import { levels } from '#platform/access/roles.ts'
import { refusalOf } from '#platform/db/errors.ts'
import type { Visibility } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { type Attributes, invalid, Invalid, refusal } from '#platform/refusals.ts'
import { addMember } from '#tenancy/members/add-member.ts'
import { assertName, assertPath } from '#identity/namespaces/paths.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { insertNode } from '#identity/namespaces/tree.ts'
import { assertAllowed, type VisibilityRules } from '#identity/namespaces/visibility.ts'
import { type GroupSettings, settingsToStore } from './group-settings.ts'

export interface NewGroup {
  readonly name: string
  readonly path: string
  readonly visibility: Visibility
  readonly parentId: number | null
  /** For a group at the top level, defaulting to the default organization; a subgroup's can only be its parent's. */
  readonly organizationId?: number | undefined
  readonly description?: string | null
  readonly settings?: Partial<GroupSettings>
  /** The key of the avatar. */
  readonly avatar?: string | null
  /** The visibilities that the creator may set; any when absent. */
  readonly rules?: VisibilityRules
}

/**
 * Makes a group or subgroup; its creator becomes a direct owner.
 * @throws 400 for a path that is taken or impossible, for a visibility that is not allowed, and for an organization
 * other than the parent's, in the form that clients of this endpoint know; 404 when the parent is gone.
 */
export async function createGroup(tx: Tx, group: NewGroup): Promise<{ id: number; full_path: string }> {
  const created = await plantGroup(tx, group).catch((error: unknown) => {
    throw failedToSave(error)
  })
  if (tx.author !== null) {
    await addMember(tx, { namespaceId: created.id, userId: tx.author.id, accessLevel: levels.owner })
  }
  record(tx, {
    name: 'group created',
    namespace: created.id,
    target: { type: 'Group', id: created.id },
    details: { path: created.full_path },
  })
  return created
}

async function plantGroup(tx: Tx, { settings = {}, rules, ...group }: NewGroup) {
  if (rules) assertAllowed(group.visibility, rules)
  assertName(group.name)
  assertPath(group.path, 'group', group.parentId === null)
  const parent = group.parentId === null ? null : await lockParent(tx, group.parentId)
  if (parent && (group.organizationId ?? parent.organization_id) !== parent.organization_id) {
    throw invalid({ organization_id: ['must be that of the parent'] })
  }
  if (settings.ip_restriction_ranges !== undefined) await announceAddressRules(tx)
  return insertNode(tx, parent, { ...group, kind: 'group', settings: settingsToStore({}, settings) })
}

/** Says what is wrong with a group as this one endpoint does: `Failed to save group {:path=>["is too short"]}`. */
function failedToSave(error: unknown): unknown {
  const problems = problemsIn(error)
  if (problems === undefined) return error
  const parts = Object.entries(problems).map(
    ([name, texts]) => `:${name}=>${JSON.stringify(texts).replaceAll('","', '", "')}`,
  )
  return refusal(`Failed to save group {${parts.join(', ')}}`)
}

function problemsIn(error: unknown): Attributes | undefined {
  if (error instanceof Invalid) return error.attributes
  const found = refusalOf(error)
  return found?.kind === 'taken' && !found.conflict ? found.attributes : undefined
}

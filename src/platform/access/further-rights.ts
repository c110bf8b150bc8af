import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'
import type { ProjectAbility } from './abilities.ts'
import type { AccessContext } from './access-context.ts'
import type { Viewer } from './viewer.ts'

/** A project, and what the caller may do there by their role. */
interface ProjectOfCaller {
  readonly container: { readonly id: number }
  readonly accessContext: AccessContext
}

/** What gives people rights in a project besides roles. It takes a look-up, so only those are looked up whom the rule refuses. */
export interface FurtherRights {
  /** What it may let them do. */
  readonly abilities: readonly ProjectAbility[]
  /** @returns what to add to their access context, by which the rule is asked again; undefined for nothing. */
  find(
    db: Db | Tx['db'],
    viewer: Viewer,
    project: ProjectOfCaller,
  ): Promise<Partial<AccessContext> | undefined>
}

export const furtherRights = new ExtensionPoint<FurtherRights>('the list of rights besides roles')

/** The access context of somebody with what they may do besides their role, as far as it is about one ability. */
export async function withFurtherRights(
  db: Db | Tx['db'],
  viewer: Viewer,
  project: ProjectOfCaller,
  ability: ProjectAbility,
): Promise<AccessContext> {
  let { accessContext } = project
  for (const rights of furtherRights.entries) {
    if (!rights.abilities.includes(ability)) continue
    const found = await rights.find(db, viewer, { ...project, accessContext })
    accessContext = { ...accessContext, ...found }
  }
  return accessContext
}

import type { Db } from '#platform/db/pool.ts'
import { findLabels, findUser, type HookUser } from './shapes.ts'
import type { BuildContext } from './kind.ts'

/** A value before and after a change. */
export interface Change {
  readonly previous: unknown
  readonly current: unknown
}

export type ItemChanges = Record<string, Change>

export const changed = (previous: unknown, current: unknown): Change => ({ previous, current })

interface Ids {
  readonly added: readonly number[]
  readonly removed: readonly number[]
}

/** What some had before they were changed, from what they have now. */
const before = (now: readonly number[], { added, removed }: Ids): number[] => [
  ...now.filter((id) => !added.includes(id)),
  ...removed,
]

/** The labels of an issue or merge request before and after changes. @param now the ids of those that it has */
export async function labelChange(db: Db, now: readonly number[], changes: readonly Ids[]): Promise<Change> {
  const was = changes.reduceRight<readonly number[]>(before, now)
  return changed(await findLabels(db, was), await findLabels(db, now))
}

interface People {
  readonly added: readonly { readonly id: number }[]
  readonly removed: readonly { readonly id: number }[]
}

const idsOf = (people: readonly { readonly id: number }[]) => people.map(({ id }) => id)

/** The same for people. */
export async function peopleChange(
  context: BuildContext,
  now: readonly HookUser[],
  changes: readonly People[],
): Promise<Change> {
  const ids = now.map(({ id }) => id)
  const was = changes.reduceRight<readonly number[]>(
    (after, { added, removed }) => before(after, { added: idsOf(added), removed: idsOf(removed) }),
    ids,
  )
  const gone = await Promise.all(was.filter((id) => !ids.includes(id)).map((id) => findUser(context, id)))
  const kept = now.filter(({ id }) => was.includes(id))
  return changed([...kept, ...gone.filter((user) => user !== null)], now)
}

import { sql } from 'kysely'
import type { TreePosition } from '#platform/access/containers.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { current, readableBy } from '#platform/access/visible.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Reference } from '#planning/references/kinds.ts'
import { parseReferences } from '#planning/references/parse-references.ts'
import { resolveMentions } from '#planning/references/resolve-mentions.ts'
import { resolveReferences } from '#planning/references/resolve-references.ts'
import type { Label, Milestone, ItemReference, Person } from './draft.ts'
import { MAX_NAMES, readNumbered, readReference } from './names.ts'
import type { Known, QuickAction } from './quick-action.ts'
import type { Step } from './steps.ts'

interface Place {
  readonly container: TreePosition
}

/** Looks up the names in commands, as seen from the project or group, with one statement for each kind that occurs. */
export async function lookUpCommandNames(
  tx: Tx,
  { container }: Place,
  viewer: Viewer,
  steps: readonly Step[],
): Promise<Known> {
  const people = await peopleNamed(tx, container, viewer, steps)
  const labels = new Map<string, Label>()
  const milestones = new Map<string, Milestone>()
  const epics = new Map<string, ItemReference>()
  const issues = new Map<string, ItemReference>()
  const projects = new Map<string, ItemReference>()
  const written = new Map<Reference, string>()
  for (const { action, names } of steps) {
    for (const one of names) {
      const reference = referenceIn(one, action.names)
      if (reference !== undefined) written.set(reference, one)
    }
  }
  for (const { reference, target } of await resolveReferences(tx.db, viewer, container, [
    ...written.keys(),
  ])) {
    const as = written.get(reference)
    if (as === undefined) continue
    if (target.type === 'Label') labels.set(as, target)
    if (target.type === 'Milestone') milestones.set(as, target)
    if (target.type === 'Project') projects.set(as, { id: target.id, reference: target.full_path })
    if (target.type !== 'Noteable') continue
    const named = { id: target.id, reference: as }
    if (target.kind.as === 'epic') epics.set(as, named)
    if (target.kind.as === 'issue') issues.set(as, named)
  }
  return { people, labels, milestones, epics, issues, projects }
}

/** What a name refers to, unless it names people. */
function referenceIn(name: string, kind: QuickAction['names']): Reference | undefined {
  if (kind === 'people') return undefined
  if (kind === 'project') return { kind: 'project', path: name, start: 0, end: name.length }
  if (kind === 'epic') return readNumbered(name, 'epic')
  return kind === 'issues' ? readNumbered(name, 'issue') : readReference(name)
}

/** The people whom commands name, and those of the groups that they name, as far as they may read what the container has. */
async function peopleNamed(
  tx: Tx,
  { namespace_id }: TreePosition,
  viewer: Viewer,
  steps: readonly Step[],
): Promise<ReadonlyMap<string, readonly Person[]>> {
  const mentions = steps.flatMap(({ action, names }) =>
    action.names === 'people' ? names.flatMap(mentionOf) : [],
  )
  const { users, groups } = await resolveMentions(tx.db, viewer, namespace_id, mentions)
  const found = new Map<string, Person[]>()
  for (const user of users) if (user.mayRead) found.set(user.username.toLowerCase(), [user])
  if (groups.length === 0) return found
  const paths = new Map(groups.map(({ id, full_path }) => [id, full_path.toLowerCase()]))
  for (const { group_id, ...person } of await membersOf(tx, namespace_id, viewer, [...paths.keys()])) {
    const path = paths.get(group_id) ?? ''
    found.set(path, [...(found.get(path) ?? []), person])
  }
  return found
}

/** The direct members of groups, as mentions mean them; one more than commands may name. */
async function membersOf(
  { db }: Tx,
  container: number,
  { today }: Viewer,
  groups: readonly number[],
): Promise<readonly (Person & { readonly group_id: number })[]> {
  const { rows } = await sql<Person & { readonly group_id: number }>`
    select m.namespace_id as group_id, u.id, u.username
    from members m join users u on u.id = m.user_id join namespaces n on n.id = ${container}
    where m.namespace_id = any(${[...groups]}::bigint[]) and ${current('m', today)} and u.deleted_at is null
      and ${readableBy('n', 'u', today)}
    order by u.id limit ${MAX_NAMES + 1}`.execute(db)
  return rows
}

function mentionOf(name: string): Reference[] {
  const [found] = parseReferences(`@${name}`, '')
  return found?.kind === 'mention' && found.path === name ? [found] : []
}

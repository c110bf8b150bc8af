import type { TreePosition } from '#platform/access/containers.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Reference } from '#planning/references/kinds.ts'
import { parseReferences } from '#planning/references/parse-references.ts'
import { resolveMentions } from '#planning/references/resolve-mentions.ts'
import { resolveReferences } from '#planning/references/resolve-references.ts'
import type { EpicNamed, Label, Milestone } from './draft.ts'
import { readEpic, readReference } from './names.ts'
import type { Known } from './quick-action.ts'
import type { Step } from './steps.ts'

/** Looks up the names in commands, as seen from the project or group, with one statement for each kind that occurs. */
export async function lookUp(
  tx: Tx,
  { container }: { readonly container: TreePosition },
  viewer: Viewer,
  steps: readonly Step[],
): Promise<Known> {
  const people = steps.flatMap(({ action, names }) => (action.names === 'people' ? names : []))
  const references = steps.flatMap(({ action, names }) => (action.names === 'people' ? [] : names))
  const { users } = await resolveMentions(tx.db, viewer, container.namespace_id, people.flatMap(mentionOf))
  const readers = new Map(
    users.filter(({ mayRead }) => mayRead).map((user) => [user.username.toLowerCase(), user]),
  )
  const labels = new Map<string, Label>()
  const milestones = new Map<string, Milestone>()
  const epics = new Map<string, EpicNamed>()
  const written = new Map<Reference, string>()
  for (const one of references) {
    const reference = one.includes('&') ? (readReference(one) ?? readEpic(one)) : readReference(one)
    if (reference !== undefined) written.set(reference, one)
  }
  for (const { reference, target } of await resolveReferences(tx.db, viewer, container, [
    ...written.keys(),
  ])) {
    const as = written.get(reference)
    if (as === undefined) continue
    if (target.type === 'Label') labels.set(as, target)
    if (target.type === 'Milestone') milestones.set(as, target)
    if (target.type === 'Noteable' && target.kind.as === 'epic')
      epics.set(as, { id: target.id, reference: as })
  }
  return { people: readers, labels, milestones, epics }
}

function mentionOf(name: string): Reference[] {
  const [found] = parseReferences(`@${name}`, '')
  return found?.kind === 'mention' && found.path === name ? [found] : []
}

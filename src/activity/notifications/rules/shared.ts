import type { Concern, Notice, TodoEffects } from '../notice.ts'

/** What most notices about a noteable have in common. */
export type AboutNoteable = Pick<Notice, 'watched' | 'participants' | 'mails'> & {
  readonly about: { readonly noteable: number }
}

/** A notice about the target of a fact, of which all are told who take part or watch. */
export function to({ target }: { readonly target: { readonly id: number } | null }): AboutNoteable {
  if (target === null) throw new Error('The fact has no target')
  return { about: { noteable: target.id }, watched: true, participants: true, mails: true }
}

interface People {
  readonly added: readonly { readonly id: number; readonly username: string }[]
  readonly removed: readonly { readonly id: number; readonly username: string }[]
  readonly at_creation?: true
}

/** New people for something. Those who come and those who go are addressed by themselves. */
export function reassigned(
  { added, removed, at_creation }: People,
  as: 'assigned' | 'review_requested' = 'assigned',
): Pick<Notice, 'concerns' | 'says' | 'mails'> {
  const names = (people: People['added']) => people.map(({ username }) => `@${username}`).join(', ')
  const [came, went] =
    as === 'assigned' ? ['assigned', 'unassigned'] : ['asked for a review of', 'no longer asks']
  const parts = [
    ...(added.length > 0 ? [`${came} ${names(added)}`] : []),
    ...(removed.length > 0 ? [`${went} ${names(removed)}`] : []),
  ]
  const concerns: Concern[] = [
    ...added.map(({ id }): Concern => ({ id, because: as })),
    ...removed.map(({ id }): Concern => ({ id, because: 'unassigned' })),
  ]
  // Who is told of something new learns of its first people with it.
  return { concerns, says: parts.join(' and '), mails: at_creation !== true }
}

export const assignedTodos = (
  { added }: People,
  action: 'assigned' | 'review_requested' = 'assigned',
): TodoEffects => ({ adds: added.map(({ id }) => ({ id, action })) })

interface Labels {
  readonly added: readonly number[]
  readonly at_creation?: true
}

/** New labels are told to those who subscribed to one of them, and nobody else. */
export const labelled = (about: AboutNoteable, { added: labels, at_creation }: Labels): Notice | undefined =>
  labels.length === 0 || at_creation
    ? undefined
    : { ...about, event: null, watched: false, participants: false, labels, says: 'added labels' }

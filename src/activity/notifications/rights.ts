import { type AccessContext, readers } from '#platform/access/access-context.ts'
import { groupRule, projectRule } from '#platform/access/abilities.ts'
import type { ContainerSubject } from '#platform/access/route-access.ts'
import type { NoteableKind } from '#planning/noteables/kind.ts'
import type { Person } from './audience.ts'
import type { Context } from './context.ts'

/** Whether somebody may read, now, what they would be told of. They ask from no address, so no group is closed to them. */
export function mayRead(person: Person, context: Context, author: number | null): boolean {
  const access = accessOf(person, context)
  if (!readers(access)) return false
  const { notice, kind, internal } = context
  if (!('noteable' in notice.about)) return notice.about.readers(access)
  if (kind === undefined || !isOpen(person, access, kind)) return false
  return !internal || person.id === author || may(kind.container.subject('readInternalNotes'), access)
}

function isOpen(person: Person, access: AccessContext, kind: NoteableKind): boolean {
  if (!may(kind.container.subject('read'), access)) return false
  return (
    person.open ||
    kind.rows.seesRestricted({
      project: () => ({ can: (ability) => projectRule(ability)(access) }),
      group: () => ({ can: (ability) => groupRule(ability)(access) }),
    })
  )
}

const may = (subject: ContainerSubject, access: AccessContext): boolean =>
  (subject.kind === 'project' ? projectRule(subject.ability) : groupRule(subject.ability))(access)

function accessOf(person: Person, { place }: Context): AccessContext {
  return {
    level: person.access_level,
    visibility: place.visibility,
    signedIn: true,
    external: person.external,
    admin: person.admin,
    // What somebody may read does not depend on it.
    archived: false,
    readsBelow: person.reads_below,
    closed: false,
    features: place.features,
  }
}

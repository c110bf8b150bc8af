import { sql } from 'kysely'
import type { ProjectDoor } from '#platform/access/doors.ts'
import { levels } from '#platform/access/roles.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden, notFound } from '#platform/http/errors.ts'
import { confidentialOpenIn } from '#planning/issues/visible.ts'
import type { BuiltKind } from '#planning/noteables/built.ts'
import { noteables } from '#planning/noteables/noteables.ts'
import { noteVisibleTo } from '#planning/notes/visible.ts'
import type { AwardableKind, Awarded } from './awardables.ts'

/** What a path names: a noteable, or one of its notes. */
export interface Target extends Awarded {
  readonly kind: AwardableKind
  /** Whether only members may still take part in the discussion. */
  readonly locked: boolean
  /** Whether it is a record of the system, which takes no awards. */
  readonly system: boolean
}

interface Named {
  /** The noteable by the number that paths name it by. */
  readonly number: number
  /** Null for the noteable itself. */
  readonly note: number | null
}

type Find = (db: Db | Tx['db'], viewer: Viewer, door: ProjectDoor, named: Named) => Promise<Target>

/** The noteable and its note in one statement: a kind that is built adds its line here. */
const finders: Readonly<Record<BuiltKind, Find>> = { issue: findIssue }

/** @throws 404 `<Type> Not Found` or `Note Not Found` for what is not there or not for the viewer. */
export function findTarget(
  kind: BuiltKind,
  db: Db | Tx['db'],
  viewer: Viewer,
  door: ProjectDoor,
  named: Named,
): Promise<Target> {
  return finders[kind](db, viewer, door, named)
}

async function findIssue(
  db: Db | Tx['db'],
  viewer: Viewer,
  { place, can }: ProjectDoor,
  { number, note }: Named,
): Promise<Target> {
  const found = await db
    .selectFrom('issues as i')
    .leftJoin('notes as x', (join) =>
      join
        .onRef('x.noteable_id', '=', 'i.id')
        .on(sql<boolean>`x.id = ${note}`)
        .on(noteVisibleTo(viewer, can('read_internal_note'))),
    )
    .select(['i.id', 'i.discussion_locked', 'x.id as note_id', 'x.system'])
    .where('i.project_id', '=', place.id)
    .where('i.iid', '=', number)
    .where(confidentialOpenIn(viewer, can('read_confidential_issue')))
    .executeTakeFirst()
  if (found === undefined) throw notFound(noteables.issue.type)
  const common = { namespace_id: place.namespace_id, locked: found.discussion_locked ?? false }
  if (note === null) return { ...common, kind: 'issue', id: found.id, system: false }
  if (found.note_id === null) throw notFound('Note')
  return { ...common, kind: 'note', id: found.note_id, system: found.system ?? false }
}

/**
 * @throws 404 for records of the system, as clients expect; 403 for those who are no members where the discussion
 * is locked.
 */
export function demandAwardable({ locked, system }: Target, { standing }: ProjectDoor): void {
  if (system) throw notFound('Award Emoji Awardable cannot be awarded emoji')
  if (locked && !standing.admin && standing.level < levels.guest) throw forbidden()
}

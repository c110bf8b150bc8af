import { sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import { type Param, prepare } from '#platform/db/prepare.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { BuiltNoteable, NoteCount, Sight } from '#planning/noteables/built.ts'
import { applyQuickActions, lockCommanded } from '#planning/quick-actions/apply-quick-actions.ts'
import { parseQuickActions } from '#planning/quick-actions/parse-quick-actions.ts'
import { lockMentioned } from './lock-referred.ts'
import { lockIssue } from './queries.ts'
import { recordMentions } from './record-mentions.ts'
import { confidentialOpenIn } from './visible.ts'

interface Values {
  project: number
  iid: number
  /** Who looks; not used where nobody in particular does. */
  viewer: number
}

/** An issue without its relations: what its notes need, and no more, because every request for notes asks for it. */
function issueQuery(
  db: Db | Tx['db'],
  viewer: Pick<Viewer, 'id'>,
  readsAll: boolean,
  { project, iid }: Pick<Values, 'project' | 'iid'>,
) {
  return db
    .selectFrom('issues as i')
    .select([
      'i.id',
      'i.iid',
      sql<boolean>`coalesce(i.discussion_locked, false)`.as('locked'),
      sql<boolean>`exists (select 1 from notes x
        where x.noteable_id = i.id and x.about_noteable_id is not null)`.as('namesOthers'),
    ])
    .where('i.project_id', '=', project)
    .where('i.iid', '=', iid)
    .where(confidentialOpenIn(viewer, readsAll))
}

const ofAll = prepare((db, param: Param<Values>) =>
  issueQuery(db, { id: null }, true, { project: param('project'), iid: param('iid') }),
)
const ofUser = prepare((db, param: Param<Values>) =>
  issueQuery(db, { id: param('viewer') }, false, { project: param('project'), iid: param('iid') }),
)

// Not the stronger lock: rows that refer to an issue may come while it is held.
const lockOfAll = prepare((db, param: Param<Values>) =>
  issueQuery(db, { id: null }, true, { project: param('project'), iid: param('iid') }).forNoKeyUpdate(),
)
const lockOfUser = prepare((db, param: Param<Values>) =>
  issueQuery(db, { id: param('viewer') }, false, {
    project: param('project'),
    iid: param('iid'),
  }).forNoKeyUpdate(),
)

const readsAll = ({ door }: Sight) => door.can('read_confidential_issue')

/** An issue as something to write notes on. */
export const issueNoteable: BuiltNoteable = {
  async find(db, sight, iid) {
    const { viewer, door } = sight
    const find = readsAll(sight) ? ofAll : ofUser
    // Nobody is asked for without a user, and no user has the number 0.
    const [row] = await find(db, { project: door.place.id, iid, viewer: viewer.id ?? 0 })
    return row
  },

  async lockReferred(tx, writer, { viewer, door }, body) {
    const { commands } = parseQuickActions(body)
    if (commands.length > 0) await lockCommanded(tx, door, viewer, commands)
    await lockMentioned(tx, writer, door.place, body)
  },

  async lock(tx, sight, iid) {
    const { viewer, door } = sight
    const lock = readsAll(sight) ? lockOfAll : lockOfUser
    const [row] = await lock(tx.db, { project: door.place.id, iid, viewer: viewer.id ?? 0 })
    return row
  },

  countNotes,

  async act(tx, { viewer, door }, iid, body) {
    const { commands, text } = parseQuickActions(body)
    if (commands.length === 0) return undefined
    const issue = await lockIssue(tx, viewer, door, iid)
    return { text, ...(await applyQuickActions(tx, door, viewer, issue, commands)) }
  },

  async recordMentions(tx, writer, { on, place, noteId, internal, changed }, text) {
    const { id, iid } = on
    if (iid === null) throw new Error('Every issue has a number')
    await recordMentions(tx, writer, { issue: { id, iid }, place, noteId, internal, changed }, text)
  },
}

const count = prepare((db, param: Param<NoteCount & { readonly id: number; readonly now: string }>) =>
  db
    .updateTable('issues')
    .set((eb) => ({
      updated_at: param('now'),
      notes_count: eb('notes_count', '+', param('open')),
      internal_notes_count: eb('internal_notes_count', '+', param('internal')),
    }))
    .where('id', '=', param('id')),
)

async function countNotes(tx: Tx, id: number, { open, internal }: NoteCount): Promise<void> {
  await count(tx.db, { id, open, internal, now: tx.now })
}

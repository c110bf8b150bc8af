import { type RawBuilder, sql } from 'kysely'
import { current, levelOf, readsBelowOf } from '#platform/access/visible.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { append } from '#platform/sequences.ts'
import type { NoteableKind } from '#planning/noteables/kind.ts'
import { mailAddress } from '#activity/notification-settings/queries.ts'
import { approversOf, assigneesOf } from './approvers.ts'
import type { Candidate, Tag } from './candidate.ts'
import type { Notice } from './notice.ts'

type Sql = RawBuilder<unknown>

/** Somebody who may be told, with what their rights depend on. */
export interface Person extends Candidate {
  readonly username: string
  readonly name: string
  /** Where mails go. */
  readonly email: string
  readonly admin: boolean
  readonly external: boolean
  /** Their level in the place; 0 for none. */
  readonly access_level: number
  readonly reads_below: boolean
  /** Whether the noteable is open to them without a right to see all. */
  readonly open: boolean
}

/** The next people of a notice, by id. */
export interface Batch {
  readonly people: readonly Person[]
  /** The last id that was looked at; null when nobody is left. */
  readonly last: number | null
}

/** What a statement for people needs to know. */
export interface AudienceQuery {
  readonly notice: Notice
  /** The place: the id of its namespace, and of all above it. */
  readonly place: {
    readonly id: number
    readonly path: readonly number[]
    readonly kind: 'project' | 'group' | 'user'
  }
  readonly kind: NoteableKind | undefined
  readonly today: string
  /** When it happened: who came later is not told. */
  readonly at: string
  /** Whether rules of approvals count. */
  readonly licensed: boolean
}

/** The most people in one batch: each batch is two statements and a transaction. */
export const PEOPLE_PER_BATCH = 200

/** Finds the people whom a notice may concern, beginning after an id, in one statement. */
export async function nextPeople(tx: Tx, asked: AudienceQuery, after: number): Promise<Batch> {
  const { place, kind, today, notice } = asked
  const noteable = 'noteable' in notice.about ? notice.about.noteable : null
  const id = sql<number>`${noteable}::bigint`
  const open =
    noteable === null ? undefined : kind?.notificationQueries?.openTo?.(id, sql.ref<number>('u.id'))
  const { rows } = await sql<Person & { readonly known: boolean }>`
    with who as materialized (
      select s.user_id, array_agg(distinct s.tag) as tags from (${sql.join(sourcesOf(asked), sql` union all `)}) s
      where s.user_id > ${after} group by s.user_id order by s.user_id limit ${PEOPLE_PER_BATCH}
    )
    select w.user_id as id, w.tags, u.id is not null as known, u.username, u.name, ${mailAddress('g', 'u')} as email,
      u.admin, u.external, coalesce(g.own_activity, false) as own_activity,
      case when u.id is not null then ${levelOf('n', sql.ref<number>('u.id'), today)} else 0 end as access_level,
      ${place.kind === 'group' ? readsBelowOf('n', sql.ref<number>('u.id'), today) : sql`false`} as reads_below,
      ${open ?? sql`true`} as open, chosen.level, chosen.events,
      (select b.subscribed from subscriptions b where b.noteable_id = ${noteable}::bigint and b.user_id = u.id) as subscribed
    from who w
      join namespaces n on n.id = ${place.id}
      left join users u on u.id = w.user_id and u.state = 'active' and u.kind = 'human' and u.deleted_at is null
      left join notification_settings g on g.user_id = u.id and g.namespace_id is null
      left join lateral (
        select c.level, c.events from notification_settings c
        where c.user_id = u.id and (c.namespace_id is null or c.namespace_id = any(${[...place.path]}::bigint[]))
          and c.level <> 'global'
        order by array_position(${[...place.path]}::bigint[], c.namespace_id) desc nulls last limit 1) chosen on true
    order by w.user_id`.execute(tx.db)
  const people = rows.filter(({ known }) => known)
  return { people, last: rows.at(-1)?.id ?? null }
}

const tagged = (tag: Tag, ids: Sql): Sql =>
  sql`select q.user_id, ${sql.lit(tag)} as tag from (${ids}) as q (user_id) where q.user_id is not null`

/** The queries that find people, each with how they come into question. */
function sourcesOf(asked: AudienceQuery): Sql[] {
  const { notice, place, today } = asked
  const concerned = (notice.concerns ?? []).map(({ id, because }) =>
    tagged(because, sql`select ${id}::bigint`),
  )
  if (notice.onlyConcerned) return concerned
  if (notice.mentioned !== undefined)
    return [tagged('mentioned', sql`select unnest(${[...notice.mentioned]}::bigint[])`)]
  const all = [...concerned]
  if ('noteable' in notice.about) append(all, ofNoteable(asked, notice.about.noteable))
  if (notice.watched || notice.event !== null) all.push(tagged('listening', listening(place.path, today)))
  if (notice.members) all.push(tagged('member', membersOf(place.path, today)))
  return all.length > 0 ? all : [tagged('member', sql`select null::bigint`)]
}

function ofNoteable({ notice, kind, today, licensed, at }: AudienceQuery, noteable: number): Sql[] {
  const id = sql<number>`${noteable}::bigint`
  const found: Sql[] = []
  const { text, labels, participants, todos } = notice
  if (todos?.reviewed) found.push(tagged('assigned', assigneesOf(id)))
  if (participants) {
    if (kind?.notificationQueries !== undefined)
      found.push(tagged('participating', kind.notificationQueries.people(id)))
    found.push(
      tagged(
        'participating',
        sql`select x.author_id from notes x where x.noteable_id = ${id} and not x.system and x.created_at <= ${at}`,
      ),
      tagged(
        'participating',
        sql`select m.user_id from user_mentions m where m.noteable_id = ${id}
          and (m.note_id is null or (select x.created_at from notes x where x.id = m.note_id) <= ${at})`,
      ),
      tagged(
        'subscribed',
        sql`select s.user_id from subscriptions s where s.noteable_id = ${id} and s.subscribed`,
      ),
    )
  }
  if (text !== undefined) {
    const note = text === 'own' ? null : text.note
    found.push(
      tagged(
        'mentioned',
        sql`select m.user_id from user_mentions m
          where m.noteable_id = ${id} and m.note_id is not distinct from ${note}::bigint`,
      ),
    )
  }
  const chosen =
    labels === 'all'
      ? kind?.notificationQueries?.labels?.(id)
      : labels && sql`select unnest(${[...labels]}::bigint[])`
  if (chosen !== undefined)
    found.push(
      tagged('label', sql`select l.user_id from label_subscriptions l where l.label_id in (${chosen})`),
    )
  if (notice.approvers && licensed) found.push(tagged('approver', approversOf(id, today)))
  return found
}

/** Who watches a place or chose events there; everywhere, if they are members of the place. */
const listening = (path: readonly number[], today: string): Sql => sql`
  select s.user_id from notification_settings s
    where s.namespace_id = any(${[...path]}::bigint[]) and s.level in ('watch', 'custom')
  union all
  select s.user_id from (${membersOf(path, today)}) as m (user_id)
    join notification_settings s on s.user_id = m.user_id and s.namespace_id is null and s.level in ('watch', 'custom')`

/** The members of a place: its own, those of the groups above it, and those of invited groups. */
const membersOf = (path: readonly number[], today: string): Sql => sql`
  select m.user_id from members m where m.namespace_id = any(${[...path]}::bigint[]) and ${current('m', today)}
  union
  select m.user_id from shares h
    join namespaces hg on hg.id = h.group_id and hg.deleted_at is null
    join members m on m.namespace_id = any(hg.traversal_ids) and ${current('m', today)}
    where h.namespace_id = any(${[...path]}::bigint[]) and ${current('h', today)}`

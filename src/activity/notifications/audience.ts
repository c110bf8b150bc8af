import { type RawBuilder, sql } from 'kysely'
import { current, levelOf, readsBelowOf } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import { type Params, statement } from '#platform/db/statement.ts'
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

interface AudienceValues {
  readonly noteable: number | null
  readonly note: number | null
  readonly place: number
  readonly path: readonly number[]
  readonly after: number
  readonly today: string
  readonly at: string
  readonly mentioned: readonly number[]
  readonly labels: readonly number[]
  readonly concerned: readonly number[]
  readonly because: readonly Tag[]
}

/** What the text of the statement depends on. Each kind of event has a few of these. */
interface AudienceShape {
  readonly kind: NoteableKind | undefined
  readonly isGroup: boolean
  readonly concerned: boolean
  /** Whether the people whom the notice concerns, or whom it says were mentioned, are all that it goes to. */
  readonly only: 'concerned' | 'mentioned' | null
  readonly hasNoteable: boolean
  readonly reviewed: boolean
  readonly participants: boolean
  readonly text: 'own' | 'note' | null
  readonly labels: 'all' | 'some' | null
  readonly approvers: boolean
  readonly listening: boolean
  readonly members: boolean
}

function shapeOf({ notice, place, kind, licensed }: AudienceQuery): AudienceShape {
  const { about, concerns = [], onlyConcerned, mentioned, text, labels } = notice
  return {
    kind,
    isGroup: place.kind === 'group',
    concerned: concerns.length > 0,
    only: onlyConcerned ? 'concerned' : mentioned === undefined ? null : 'mentioned',
    hasNoteable: 'noteable' in about,
    reviewed: notice.todos?.reviewed === true,
    participants: notice.participants,
    text: typeof text === 'object' ? 'note' : (text ?? null),
    labels: typeof labels === 'object' ? 'some' : (labels ?? null),
    approvers: notice.approvers === true && licensed,
    listening: notice.watched || notice.event !== null,
    members: notice.members === true,
  }
}

function valuesOf({ notice, place, today, at }: AudienceQuery, after: number): AudienceValues {
  const { about, concerns = [], mentioned = [], text, labels } = notice
  return {
    noteable: 'noteable' in about ? about.noteable : null,
    note: typeof text === 'object' ? text.note : null,
    place: place.id,
    path: place.path,
    after,
    today,
    at,
    mentioned,
    labels: typeof labels === 'object' ? labels : [],
    concerned: concerns.map(({ id }) => id),
    because: concerns.map(({ because }) => because),
  }
}

const audience = statement({
  name: 'people of a notice',
  build: (_, param: Params<AudienceValues>, shape: AudienceShape) => {
    const { kind, isGroup, hasNoteable } = shape
    const today = param('today')
    const id = sql<number>`${param('noteable')}::bigint`
    const user = sql.ref<number>('u.id')
    const open = hasNoteable ? kind?.notificationQueries?.openTo?.(id, user) : undefined
    return sql<Person & { readonly known: boolean }>`
    with who as materialized (
      select s.user_id, array_agg(distinct s.tag) as tags from (${sql.join(sourcesOf(shape, param), sql` union all `)}) s
      where s.user_id > ${param('after')} group by s.user_id order by s.user_id limit ${sql.lit(PEOPLE_PER_BATCH)}
    )
    select w.user_id as id, w.tags, u.id is not null as known, u.username, u.name, ${mailAddress('g', 'u')} as email,
      u.admin, u.external, coalesce(g.own_activity, false) as own_activity,
      case when u.id is not null then ${levelOf('n', user, today)} else 0 end as access_level,
      ${isGroup ? readsBelowOf('n', user, today) : sql`false`} as reads_below,
      ${open ?? sql`true`} as open, chosen.level, chosen.events,
      (select b.subscribed from subscriptions b where b.noteable_id = ${id} and b.user_id = u.id) as subscribed
    from who w
      join namespaces n on n.id = ${param('place')}
      left join users u on u.id = w.user_id and u.state = 'active' and u.kind = 'human' and u.deleted_at is null
      left join notification_settings g on g.user_id = u.id and g.namespace_id is null
      left join lateral (
        select c.level, c.events from notification_settings c
        where c.user_id = u.id and (c.namespace_id is null or c.namespace_id = any(${param('path')}::bigint[]))
          and c.level <> 'global'
        order by array_position(${param('path')}::bigint[], c.namespace_id) desc nulls last limit 1) chosen on true
    order by w.user_id`
  },
})

/** Finds the people whom a notice may concern, beginning after an id, in one statement outside of transactions. */
export async function nextPeople(db: Db, asked: AudienceQuery, after: number): Promise<Batch> {
  const rows = await audience(db, valuesOf(asked, after), shapeOf(asked))
  const people = rows.filter(({ known }) => known)
  // Fewer than a batch are the last ones.
  return { people, last: rows.length < PEOPLE_PER_BATCH ? null : (rows.at(-1)?.id ?? null) }
}

const tagged = (tag: Tag, ids: Sql): Sql =>
  sql`select q.user_id, ${sql.lit(tag)} as tag from (${ids}) as q (user_id) where q.user_id is not null`

/** The queries that find people, each with how they come into question. */
function sourcesOf(shape: AudienceShape, param: Params<AudienceValues>): Sql[] {
  const concerned = sql`select c.user_id, c.tag from unnest(${param('concerned')}::bigint[], ${param('because')}::text[])
    as c (user_id, tag) where c.user_id is not null`
  if (shape.only === 'concerned') return [concerned]
  if (shape.only === 'mentioned')
    return [tagged('mentioned', sql`select unnest(${param('mentioned')}::bigint[])`)]
  const all = shape.concerned ? [concerned] : []
  if (shape.hasNoteable) append(all, ofNoteable(shape, param))
  if (shape.listening) all.push(tagged('listening', listening(param)))
  if (shape.members) all.push(tagged('member', membersOf(param)))
  return all.length > 0 ? all : [tagged('member', sql`select null::bigint`)]
}

function ofNoteable(shape: AudienceShape, param: Params<AudienceValues>): Sql[] {
  const queries = shape.kind?.notificationQueries
  const id = sql<number>`${param('noteable')}::bigint`
  const at = sql`${param('at')}::timestamptz`
  const found: Sql[] = []
  if (shape.reviewed) found.push(tagged('assigned', assigneesOf(id)))
  if (shape.participants) {
    if (queries !== undefined) found.push(tagged('participating', queries.people(id)))
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
  if (shape.text !== null) {
    const note = shape.text === 'own' ? sql`is null` : sql`= ${param('note')}::bigint`
    found.push(
      tagged(
        'mentioned',
        sql`select m.user_id from user_mentions m where m.noteable_id = ${id} and m.note_id ${note}`,
      ),
    )
  }
  const chosen =
    shape.labels === 'all'
      ? queries?.labels?.(id)
      : shape.labels && sql`select unnest(${param('labels')}::bigint[])`
  if (chosen)
    found.push(
      tagged('label', sql`select l.user_id from label_subscriptions l where l.label_id in (${chosen})`),
    )
  if (shape.approvers) found.push(tagged('approver', approversOf(id, param('today'))))
  return found
}

/** Who watches a place or chose events there; everywhere, if they are members of the place. */
const listening = (param: Params<AudienceValues>): Sql => sql`
  select s.user_id from notification_settings s
    where s.namespace_id = any(${param('path')}::bigint[]) and s.level in ('watch', 'custom')
  union all
  select s.user_id from (${membersOf(param)}) as m (user_id)
    join notification_settings s on s.user_id = m.user_id and s.namespace_id is null and s.level in ('watch', 'custom')`

/** The members of a place: its own, those of the groups above it, and those of invited groups. */
const membersOf = (param: Params<AudienceValues>): Sql => sql`
  select m.user_id from members m
    where m.namespace_id = any(${param('path')}::bigint[]) and ${current('m', param('today'))}
  union
  select m.user_id from shares h
    join namespaces hg on hg.id = h.group_id and hg.deleted_at is null
    join members m on m.namespace_id = any(hg.traversal_ids) and ${current('m', param('today'))}
    where h.namespace_id = any(${param('path')}::bigint[]) and ${current('h', param('today'))}`

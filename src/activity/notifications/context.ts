import { sql } from 'kysely'
import { type ProjectFeatureLevels, projectFeatureLevels } from '#platform/access/project-features.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Json, NamespaceKind, Visibility } from '#platform/db/schema.ts'
import { type Params, statement } from '#platform/db/statement.ts'
import type { NoteableKind } from '#planning/noteables/kind.ts'
import { noteableKinds } from '#planning/noteables/kinds.ts'
import type { Notice } from './notice.ts'

/** The project or group in which it happened. */
export interface NoticePlace {
  readonly id: number
  readonly kind: NamespaceKind
  /** The ids of its namespace and of those above it, from the top. */
  readonly path: readonly number[]
  readonly name: string
  readonly full_path: string
  readonly visibility: Visibility
  readonly features: ProjectFeatureLevels
  /** The id of the project; null in groups. */
  readonly project_id: number | null
  /** Whether the place, or a group above it, wants no mails. */
  readonly silent: boolean
}

/** What the noteable is called, and where its page is. */
export interface NoteableText {
  readonly title: string
  readonly description: string | null
  readonly page: string
  readonly reference: string
  readonly iid: number | null
  readonly state: string | null
}

/** The note that came with it. */
export interface NoteText {
  readonly id: number
  readonly body: string
  readonly internal: boolean
  /** As hexadecimal digits. */
  readonly discussion: string
  /** The first note of its discussion; null for that one itself. */
  readonly answers: number | null
}

/** All that a notice is about, as it is now. */
export interface Context {
  readonly notice: Notice
  readonly place: NoticePlace
  readonly kind: NoteableKind | undefined
  readonly noteable: (NoteableText & { readonly id: number }) | undefined
  readonly note: NoteText | undefined
  /** Whether the text is for those alone who read internal notes. */
  readonly internal: boolean
}

interface Row {
  readonly id: number
  readonly kind: NamespaceKind
  readonly traversal_ids: number[]
  readonly name: string
  readonly full_path: string
  readonly visibility: Visibility
  readonly settings: Json
  readonly project_id: number | null
  readonly silent: boolean
  readonly told: NoteableText | null
  readonly note: NoteText | null
}

/** Which kind of noteable a notice is about, and where that is. */
const noteableOf = statement({
  name: 'noteable of a notice',
  build: (_, param: Params<{ noteable: number }>) => sql<{ kind: string; namespace_id: number }>`
    select t.kind, t.namespace_id from noteables t where t.id = ${param('noteable')}`,
})

interface ContextShape {
  readonly kind: NoteableKind | undefined
  readonly hasNote: boolean
}

interface ContextValues {
  readonly namespace: number
  readonly noteable: number | null
  readonly note: number | null
}

/** Of one kind at a time: PostgreSQL would plan the queries of all kinds for each notice. */
const contextIn = statement({
  name: 'context of a notice',
  build: (_, param: Params<ContextValues>, { kind, hasNote }: ContextShape) => {
    const queries = kind?.notificationQueries
    const told =
      queries && sql`(select row_to_json(k) from (${queries.select(sql`${param('noteable')}::bigint`)}) k)`
    return sql<Row>`
      select n.id, n.kind, n.traversal_ids, n.name, n.full_path, n.visibility, coalesce(p.settings, n.settings) as settings,
        p.id as project_id,
        (coalesce(p.settings ->> 'emails_enabled', 'true') = 'false' or exists (
          select 1 from namespaces a where a.id = any(n.traversal_ids) and a.settings ->> 'emails_enabled' = 'false')) as silent,
        ${told ?? sql`null::json`} as told,
        ${hasNote ? noteOf(param) : sql`null::json`} as note
      from namespaces n left join projects p on p.project_namespace_id = n.id
      where n.id = ${param('namespace')} and n.deleted_at is null`
  },
})

const noteOf = (param: Params<ContextValues>) => sql`(
  select json_build_object('id', x.id, 'body', x.body, 'internal', x.internal,
      'discussion', encode(x.discussion_id, 'hex'), 'answers', (
        select f.id from notes f where f.discussion_id = x.discussion_id and f.starts_discussion and f.id <> x.id
          limit 1))
    from notes x where x.id = ${param('note')}::bigint)`

/**
 * Reads what a notice is about, outside of transactions: there PostgreSQL would plan it anew for each.
 * @returns undefined when it is gone: then there is nothing to tell
 */
export async function contextOf(db: Db, notice: Notice): Promise<Context | undefined> {
  const { about, text } = notice
  const noteable = 'noteable' in about ? about.noteable : null
  const note = typeof text === 'object' ? text.note : null
  const [found] = noteable === null ? [] : await noteableOf(db, { noteable })
  const namespace = 'namespace' in about ? about.namespace : found?.namespace_id
  if (namespace === undefined) return undefined
  const kind = found && noteableKinds().find(({ name }) => name === found.kind)
  const [row] = await contextIn(db, { namespace, noteable, note }, { kind, hasNote: note !== null })
  if (row === undefined || (noteable !== null && row.told === null) || (note !== null && row.note === null))
    return undefined
  const { told, note: written, settings, traversal_ids, ...place } = row
  return {
    notice,
    place: { ...place, path: traversal_ids, features: projectFeatureLevels(settings) },
    kind,
    noteable: told === null || noteable === null ? undefined : { ...told, id: noteable },
    note: written ?? undefined,
    internal: written?.internal ?? false,
  }
}

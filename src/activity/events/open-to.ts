import { type RawBuilder, sql } from 'kysely'
import { openTo as snippetOpenTo } from '#code/snippets/visible.ts'
import { openOrOwn } from '#planning/issues/visible.ts'
import type { FeedReader } from './feed.ts'
import { type Kind, kindsWhere } from './kinds.ts'

type Bool = RawBuilder<boolean>

/** The kinds of events about something of an area. */
const about = (area: Kind['area']) => isOf((kind) => kind.area === area && kind.action !== 'commented')
/** The kinds of comments in an area. */
const commentsIn = (area: Kind['area']) => isOf((kind) => kind.area === area && kind.action === 'commented')
const isOf = (passes: (kind: Kind) => boolean): Bool =>
  sql<boolean>`s.kind in (${sql.join(kindsWhere(passes).map((kind) => sql.lit(kind)))})`

/**
 * Whether an event `e` of the stream `s` is open to the reader: what it is about is still there, in this project, and is not
 * confidential, internal or private. Comments in threads of merge requests are no events. The offsets keep PostgreSQL from making
 * a hash table of all issues or notes.
 */
export function openTo(reader: FeedReader): Bool {
  const issue = (id: RawBuilder<unknown>) => sql`exists (
    select 1 from issues i where i.id = ${id} and i.project_id = s.project_id
      and (s.trusted or ${openOrOwn(sql<number>`${reader.id}`, 'i')}) offset 0)`
  const mergeRequest = (id: RawBuilder<unknown>) => sql`exists (
    select 1 from merge_requests m where m.id = ${id} and m.project_id = s.project_id offset 0)`
  const snippet = (id: RawBuilder<unknown>) => sql`exists (
    select 1 from snippets t where t.id = ${id} and t.project_id = s.project_id
      and (s.member or ${snippetOpenTo(reader, { snippet: 't' })}) offset 0)`
  const page = (id: RawBuilder<unknown>) => sql`exists (
    select 1 from wiki_pages w where w.id = ${id} and w.deleted_at is null offset 0)`
  const note = (on: RawBuilder<unknown>) => sql`exists (
    select 1 from notes x where x.id = e.target_id and (s.trusted or not x.internal or x.author_id = ${reader.id})
      and ${on} offset 0)`
  const on = sql`x.noteable_id`
  return sql<boolean>`(case
    when ${about('issues')} then ${issue(sql`e.target_id`)}
    when ${about('merge_requests')} then ${mergeRequest(sql`e.target_id`)}
    when ${about('snippets')} then ${snippet(sql`e.target_id`)}
    when ${commentsIn('issues')} then ${note(issue(on))}
    when ${commentsIn('merge_requests')}
      then ${note(sql`x.type is distinct from 'DiscussionNote' and ${mergeRequest(on)}`)}
    when ${commentsIn('snippets')} then ${note(snippet(on))}
    when ${commentsIn('wiki')} then ${note(page(on))}
    when ${commentsIn('code')} then ${note(sql`true`)}
    else true end)`
}

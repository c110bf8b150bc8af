import { presentUserBasic } from '#identity/users/basic.ts'
import { iso } from '#platform/http/time.ts'
import type { Event, PushData } from './entity.ts'
import { type Area, kindOf } from './kinds.ts'
import type { EventRow } from './read-events.ts'

interface Presenting {
  readonly site: string
  /** Whether it is shown in the feed of a project, which has a field more. */
  readonly ofProject: boolean
}

/** Presents events. */
export const presentEvents = (rows: readonly EventRow[], presenting: Presenting): Event[] =>
  rows.map((row) => presentEvent(row, presenting))

function presentEvent(row: EventRow, { site, ofProject }: Presenting): Event {
  const kind = kindOf(row.kind)
  const author = presentUserBasic(row.author, site)
  const pushed = kind.action === 'pushed' ? pushOf(row.details) : undefined
  const remembered = textsOf(row.details)
  const title = row.title ?? remembered.title ?? null
  return {
    id: row.id,
    title: null,
    project_id: row.project_id,
    action_name: pushed === undefined ? kind.shown : shownPushes[pushed.action],
    target_id: row.target_id,
    target_iid: row.note === null ? (row.iid ?? row.target_id) : row.target_id,
    target_type: row.note?.type ?? kind.target,
    target_title: pushed === undefined ? title : null,
    author_id: author.id,
    author,
    author_username: author.username,
    created_at: iso(row.created_at),
    imported: false,
    imported_from: 'none',
    ...(ofProject ? { data: null } : {}),
    ...(row.note === null ? {} : { note: noteOf(row, row.note, kind.area, site) }),
    ...(pushed === undefined ? {} : { push_data: pushed }),
    ...(kind.target !== 'WikiPage::Meta' || remembered.slug === undefined
      ? {}
      : { wiki_page: { slug: remembered.slug, title: title ?? '', wiki_page_meta_id: row.target_id } }),
  }
}

const shownPushes = { created: 'pushed new', pushed: 'pushed to', removed: 'deleted' } as const

/** `noteable_type` of the notes in an area. */
const noteables: Readonly<Partial<Record<Area, string>>> = {
  code: 'Commit',
  issues: 'Issue',
  merge_requests: 'MergeRequest',
  snippets: 'Snippet',
  wiki: 'WikiPage::Meta',
}

function noteOf(row: EventRow, note: NonNullable<EventRow['note']>, area: Area, site: string) {
  return {
    id: note.id,
    type: note.type,
    body: row.body,
    attachment: null,
    author: presentUserBasic(note.author, site),
    created_at: iso(note.created_at),
    system: note.system,
    internal: note.internal,
    noteable_id: area === 'code' ? null : note.noteable_id,
    noteable_type: noteables[area] ?? '',
    noteable_iid: row.iid,
  }
}

/** What a fact about a push said. */
function pushOf(details: EventRow['details']): PushData {
  const one = fieldsOf(details)
  const text = (name: string) => (typeof one[name] === 'string' ? one[name] : null)
  const count = (name: string) => (typeof one[name] === 'number' ? one[name] : null)
  const action = text('action')
  return {
    commit_count: count('commit_count') ?? 0,
    action: action === 'created' || action === 'removed' ? action : 'pushed',
    ref_type: text('ref_type') === 'tag' ? 'tag' : 'branch',
    commit_from: text('commit_from'),
    commit_to: text('commit_to'),
    ref: text('ref'),
    commit_title: text('commit_title'),
    ref_count: count('ref_count'),
  }
}

/** The title and slug that an event remembers. */
function textsOf(details: EventRow['details']): { readonly title?: string; readonly slug?: string } {
  const { title, slug } = fieldsOf(details)
  return { ...(typeof title === 'string' && { title }), ...(typeof slug === 'string' && { slug }) }
}

const fieldsOf = (details: EventRow['details']): Readonly<Record<string, unknown>> =>
  typeof details === 'object' && details !== null && !Array.isArray(details) ? details : {}

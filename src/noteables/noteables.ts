import type { Tier } from '#access/route-access.ts'

/** What notes can be on, as data: routes, presenters and look-ups of notes walk over this table. */
interface Noteable {
  /** `noteable_type` on the wire, and the name in `404 <name> Not Found`. */
  readonly type: string
  readonly container: 'project' | 'group'
  /** The collection in paths: `/projects/:id/issues`. */
  readonly segment: string
  /** The path parameter that names the noteable. */
  readonly param: string
  /** Which of its numbers the parameter is. */
  readonly by: 'iid' | 'id'
  /** Whether notes tell `noteable_iid`; otherwise it is null. */
  readonly showsIid: boolean
  /** Fields that notes have on some noteables only. */
  readonly fields: { readonly imported: boolean; readonly commands: boolean }
  readonly tier?: Tier
  readonly abilities: { readonly read: string; readonly createNote: string; readonly award: string }
  /** Parameters besides `sort`, `order_by` and pages. */
  readonly list: readonly 'activity_filter'[]
  /** Parameters besides `body`, which is always needed. */
  readonly create: readonly ('internal' | 'confidential' | 'created_at' | 'merge_request_diff_head_sha')[]
  readonly update: { readonly bodyRequired: boolean; readonly confidential: boolean }
}

/** "Notes" in the specification. */
export const noteables = {
  issue: {
    type: 'Issue',
    container: 'project',
    segment: 'issues',
    param: 'issue_iid',
    by: 'iid',
    showsIid: true,
    fields: { imported: true, commands: false },
    abilities: { read: 'read_issue', createNote: 'create_issue_note', award: 'award_issue_emoji' },
    list: ['activity_filter'],
    create: ['internal', 'confidential', 'created_at'],
    update: { bodyRequired: false, confidential: true },
  },
  snippet: {
    type: 'Snippet',
    container: 'project',
    segment: 'snippets',
    param: 'snippet_id',
    by: 'id',
    showsIid: false,
    fields: { imported: true, commands: false },
    abilities: { read: 'read_snippet', createNote: 'create_snippet_note', award: 'award_snippet_emoji' },
    list: [],
    create: ['created_at'],
    update: { bodyRequired: true, confidential: false },
  },
  merge_request: {
    type: 'MergeRequest',
    container: 'project',
    segment: 'merge_requests',
    param: 'merge_request_iid',
    by: 'iid',
    showsIid: true,
    fields: { imported: false, commands: false },
    abilities: {
      read: 'read_merge_request',
      createNote: 'create_merge_request_note',
      award: 'award_merge_request_emoji',
    },
    list: [],
    create: ['internal', 'created_at', 'merge_request_diff_head_sha'],
    update: { bodyRequired: true, confidential: true },
  },
  epic: {
    type: 'Epic',
    container: 'group',
    segment: 'epics',
    param: 'epic_id',
    by: 'id',
    showsIid: true,
    fields: { imported: true, commands: false },
    tier: { feature: 'Epics', plan: 'premium' },
    abilities: { read: 'read_epic', createNote: 'create_epic_note', award: 'award_epic_emoji' },
    list: [],
    create: ['internal', 'confidential'],
    update: { bodyRequired: true, confidential: true },
  },
  wiki_page: {
    type: 'WikiPage::Meta',
    container: 'project',
    segment: 'wiki_pages',
    param: 'wiki_page_meta_id',
    by: 'id',
    showsIid: false,
    fields: { imported: true, commands: true },
    abilities: { read: 'read_wiki', createNote: 'create_wiki_note', award: 'award_wiki_emoji' },
    list: [],
    create: [],
    update: { bodyRequired: true, confidential: false },
  },
} as const satisfies Record<string, Noteable>

export type NoteableKind = keyof typeof noteables
export type NoteableType = (typeof noteables)[NoteableKind]['type']

/** The path of the notes of a noteable: `/projects/:id/issues/:issue_iid/notes`. */
export function notesPath<K extends NoteableKind>(kind: K): NotesPath<K> {
  const { container, segment, param }: (typeof noteables)[K] = noteables[kind]
  return `/${container}s/:id/${segment}/:${param}/notes`
}

type NotesPath<K extends NoteableKind> =
  `/${(typeof noteables)[K]['container']}s/:id/${(typeof noteables)[K]['segment']}/:${(typeof noteables)[K]['param']}/notes`

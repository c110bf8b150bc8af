import type { Tier } from '#platform/access/route-access.ts'

/** What notes can be on, as data: routes, presenters and look-ups of notes walk over this table. */
export interface NoteableEntry {
  /** `noteable_type` on the wire, and the name in `404 <name> Not Found`. */
  readonly type: string
  /** In sentences of the API's description. */
  readonly title: string
  readonly container: 'project' | 'group'
  /** The collection in paths: `/projects/:id/issues`. */
  readonly segment: string
  /** The path parameter that names the noteable. */
  readonly param: string
  /** Which of its numbers the parameter is. */
  readonly by: 'iid' | 'id'
  /** Whether notes tell `noteable_iid`; otherwise it is null. */
  readonly showsIid: boolean
  /** The column of `notes` that names it. */
  readonly column: string
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
    title: 'an issue',
    container: 'project',
    segment: 'issues',
    param: 'issue_iid',
    by: 'iid',
    showsIid: true,
    column: 'noteable_id',
    // Real clients read what became of the commands in a body.
    fields: { imported: true, commands: true },
    abilities: { read: 'read_issue', createNote: 'create_issue_note', award: 'award_issue_emoji' },
    list: ['activity_filter'],
    create: ['internal', 'confidential', 'created_at'],
    update: { bodyRequired: false, confidential: true },
  },
  snippet: {
    type: 'Snippet',
    title: 'a snippet of a project',
    container: 'project',
    segment: 'snippets',
    param: 'snippet_id',
    by: 'id',
    showsIid: false,
    column: 'snippet_id',
    fields: { imported: true, commands: false },
    abilities: { read: 'read_snippet', createNote: 'create_snippet_note', award: 'award_snippet_emoji' },
    list: [],
    create: ['created_at'],
    update: { bodyRequired: true, confidential: false },
  },
  merge_request: {
    type: 'MergeRequest',
    title: 'a merge request',
    container: 'project',
    segment: 'merge_requests',
    param: 'merge_request_iid',
    by: 'iid',
    showsIid: true,
    column: 'merge_request_id',
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
    title: 'an epic',
    container: 'group',
    segment: 'epics',
    param: 'epic_id',
    by: 'id',
    showsIid: true,
    column: 'epic_id',
    fields: { imported: true, commands: false },
    tier: { feature: 'Epics', plan: 'premium' },
    abilities: { read: 'read_epic', createNote: 'create_epic_note', award: 'award_epic_emoji' },
    list: [],
    create: ['internal', 'confidential'],
    update: { bodyRequired: true, confidential: true },
  },
  wiki_page: {
    type: 'WikiPage::Meta',
    title: 'a wiki page',
    container: 'project',
    segment: 'wiki_pages',
    param: 'wiki_page_meta_id',
    by: 'id',
    showsIid: false,
    column: 'wiki_page_meta_id',
    fields: { imported: true, commands: true },
    abilities: { read: 'read_wiki', createNote: 'create_wiki_note', award: 'award_wiki_emoji' },
    list: [],
    create: [],
    update: { bodyRequired: true, confidential: false },
  },
} as const satisfies Record<string, NoteableEntry>

export type NoteableKind = keyof typeof noteables
export type NoteableType = (typeof noteables)[NoteableKind]['type']

type PathOf<
  K extends NoteableKind,
  Collection extends string,
> = `/${(typeof noteables)[K]['container']}s/:id/${(typeof noteables)[K]['segment']}/:${(typeof noteables)[K]['param']}/${Collection}`

function pathOf<K extends NoteableKind, C extends string>(kind: K, collection: C): PathOf<K, C> {
  const { container, segment, param }: (typeof noteables)[K] = noteables[kind]
  return `/${container}s/:id/${segment}/:${param}/${collection}`
}

/** The path of the notes of a noteable: `/projects/:id/issues/:issue_iid/notes`. */
export const notesPath = <K extends NoteableKind>(kind: K) => pathOf(kind, 'notes')

/** The path of its discussions: `/projects/:id/issues/:issue_iid/discussions`. */
export const discussionsPath = <K extends NoteableKind>(kind: K) => pathOf(kind, 'discussions')

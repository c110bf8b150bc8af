import { sql } from 'kysely'
import { readCommit } from '#code/git/objects.ts'
import type { NotePosition } from '#planning/noteables/position.ts'
import { presentHookCommit } from './commits.ts'
import { findIssueRow, issueAttributes } from './issues.ts'
import { type BuildContext, payloadKind, type HookPayload } from './kind.ts'
import { findMergeRequestRow, mergeRequestAttributes } from './merge-requests.ts'
import {
  findProject,
  findUser,
  type HookProject,
  shortRepository,
  utc,
  utcOrNull,
  visibilityLevels,
} from './shapes.ts'
import type { Visibility } from '#platform/db/schema.ts'

/** Comments: written and changed. */
export const notePayloads = payloadKind({
  facts: ['note created', 'note changed'],
  interestedHooks: ({ details: { noteable_type } }) =>
    noteable_type in on
      ? { triggers: ['note_events', 'confidential_note_events'], system: 'none' }
      : undefined,
  build: async (facts, context) => {
    const [first] = facts
    const note = await findNoteRow(context, first?.target?.id)
    if (first === undefined || note === undefined) return []
    const isNew = facts.some(({ name }) => name === 'note created')
    const secret = facts.some(({ seen, details }) => seen?.confidential === true || details.internal)
    return notePayload(note, isNew ? 'create' : 'update', context, { actorId: first.actorId, secret })
  },
})

export interface HookNote {
  readonly id: number
  readonly body: string
  readonly author_id: number
  readonly noteable_id: number
  readonly noteable_type: string
  readonly project_id: number
  readonly internal: boolean
  readonly system: boolean
  readonly type: string | null
  readonly discussion_id: string
  readonly created_at: string
  readonly updated_at: string
  readonly resolved_at: string | null
  readonly resolved_by_id: number | null
  /** Where it stands on a diff, and the commit of a merge request that it is about. */
  readonly placed: NotePosition | null
}

const kinds = sql`case o.kind when 'issue' then 'Issue' when 'merge_request' then 'MergeRequest'
  when 'snippet' then 'Snippet' when 'commit' then 'Commit' else o.kind end`

export async function findNoteRow(
  { db }: BuildContext,
  id: number | undefined,
): Promise<HookNote | undefined> {
  if (id === undefined) return undefined
  const { rows } = await sql<HookNote>`
    select x.id, x.body, x.author_id, x.noteable_id, ${kinds} as noteable_type, p.id as project_id, x.internal, x.system,
      x.type, encode(x.discussion_id, 'hex') as discussion_id, x.created_at, x.updated_at, x.resolved_at, x.resolved_by_id,
      (select s.position from note_positions s where s.note_id = x.id) as placed
    from notes x join noteables o on o.id = x.noteable_id join namespaces n on n.id = o.namespace_id
      join projects p on p.project_namespace_id = n.id
    where x.id = ${id} and n.deleted_at is null`.execute(db)
  return rows[0]
}

interface NoteCause {
  readonly actorId: number | null
  /** Whether it was internal, or on something confidential, when it was written. */
  readonly secret: boolean
}

export async function notePayload(
  note: HookNote,
  action: 'create' | 'update',
  context: BuildContext,
  { actorId, secret }: NoteCause,
): Promise<readonly HookPayload[]> {
  const found = await noteTarget(note, context)
  if (found === undefined) return []
  const confidential = secret || note.internal || found.confidential
  return [
    {
      to: 'project and group hooks',
      triggers: [confidential ? 'confidential_note_events' : 'note_events'],
      name: confidential ? 'Confidential Note Hook' : 'Note Hook',
      data: {
        object_kind: 'note',
        event_type: confidential ? 'confidential_note' : 'note',
        user: await findUser(context, actorId),
        project_id: found.project.id,
        project: found.project.project,
        object_attributes: { ...noteAttributes(note, found), action },
        repository: shortRepository(found.project),
        ...found.data,
      },
    },
  ]
}

/** A note as payloads about it, and about reactions to it, show it. */
export function noteAttributes(note: HookNote, { url, commitId }: Pick<NoteTarget, 'url' | 'commitId'>) {
  const { commit_id = '', ...position } = note.placed ?? {}
  const place = note.placed === null ? null : position
  return {
    id: note.id,
    note: note.body,
    description: note.body,
    noteable_type: note.noteable_type,
    noteable_id: commitId === null ? note.noteable_id : null,
    author_id: note.author_id,
    created_at: utc(note.created_at),
    updated_at: utc(note.updated_at),
    project_id: note.project_id,
    attachment: null,
    line_code: null,
    commit_id: commitId ?? commit_id,
    discussion_id: note.discussion_id,
    internal: note.internal,
    position: place,
    original_position: place,
    change_position: null,
    resolved_at: utcOrNull(note.resolved_at),
    resolved_by_id: note.resolved_by_id,
    resolved_by_push: null,
    system: note.system,
    st_diff: null,
    type: note.type,
    updated_by_id: null,
    url: `${url}#note_${note.id}`,
  }
}

/** What a note is on. */
export interface NoteTarget {
  readonly project: HookProject
  readonly confidential: boolean
  readonly url: string
  /** Of a commit; null for what is none. */
  readonly commitId: string | null
  /** It under its own name. */
  readonly data: Readonly<Record<string, unknown>>
}

/** Finds what a note, or a reaction, is on. Undefined once it is gone, and for what no payload shows. */
export async function noteTarget(
  { noteable_type, noteable_id, project_id }: Pick<HookNote, 'noteable_type' | 'noteable_id' | 'project_id'>,
  context: BuildContext,
): Promise<NoteTarget | undefined> {
  const project = await findProject(context, project_id)
  const find = on[noteable_type]
  if (project === undefined || find === undefined) return undefined
  const found = await find(noteable_id, project, context)
  return found && { project, ...found }
}

type NotedItem = Omit<NoteTarget, 'project'>
type Find = (id: number, project: HookProject, context: BuildContext) => Promise<NotedItem | undefined>

const on: Readonly<Record<string, Find>> = {
  Issue: async (id, _, context) => {
    const row = await findIssueRow(context, id)
    if (row === undefined) return undefined
    const issue = await issueAttributes(row, context)
    return { confidential: row.confidential, url: issue.url, commitId: null, data: { issue } }
  },
  MergeRequest: async (id, project, context) => {
    const row = await findMergeRequestRow(context, id)
    if (row === undefined) return undefined
    const merge_request = await mergeRequestAttributes(row, project, context)
    return { confidential: false, url: merge_request.url, commitId: null, data: { merge_request } }
  },
  Snippet: async (id, project, { db }) => {
    const { rows } = await sql<SnippetRow>`
      select s.id, s.title, s.description, s.author_id, s.project_id, s.created_at, o.updated_at, s.visibility,
        s.file_paths[1] as file_name
      from snippets s join noteables o on o.id = s.id where s.id = ${id}`.execute(db)
    const [row] = rows
    if (row === undefined) return undefined
    const { visibility, created_at, updated_at, ...snippet } = row
    const url = `${project.url}/-/snippets/${id}`
    const times = { created_at: utc(created_at), updated_at: utc(updated_at) }
    const more = { type: 'ProjectSnippet', visibility_level: visibilityLevels[visibility], url }
    return { confidential: false, url, commitId: null, data: { snippet: { ...snippet, ...times, ...more } } }
  },
  Commit: async (id, project, { db, repositories }) => {
    const noted = await db.selectFrom('noted_commits').select('sha').where('id', '=', id).executeTakeFirst()
    const repository = await repositories.ofProject(project.id)
    if (noted === undefined || repository === undefined) return undefined
    const commit = await readCommit(repository, noted.sha)
    if (commit === undefined) return undefined
    const shown = presentHookCommit(commit, project.url)
    return { confidential: false, url: shown.url, commitId: commit.id, data: { commit: shown } }
  },
}

interface SnippetRow {
  readonly id: number
  readonly visibility: Visibility
  readonly created_at: string
  readonly updated_at: string
}

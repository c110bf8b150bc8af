import { type Actor, unique, w } from '#test/world.ts'

/** Two projects with a planner who plans both. */
export async function twoProjects() {
  const [from, to] = [await w.project(), await w.project()]
  await w.member(to.namespaceId, from.planner, 15)
  return { from, to, mover: from.planner }
}

export async function openIssue(by: Actor, projectId: number, more: object = {}) {
  const { body } = await by.post(`/projects/${projectId}/issues`, { title: unique('issue'), ...more })
  return { ...body, path: `/projects/${projectId}/issues/${body.iid}` }
}

interface NewNote {
  readonly body: string
  readonly internal?: boolean
  /** The one it replies to. */
  readonly replyTo?: { discussion_id: Buffer }
  readonly named?: Actor
  readonly award?: string
}

let discussions = 0

/** A comment as if somebody had written it a day ago. */
export async function comment(
  issueId: number,
  by: Actor,
  { body, internal = false, replyTo, named, award }: NewNote,
) {
  const at = '2026-01-01T10:00:00.000Z'
  const discussion_id =
    replyTo?.discussion_id ?? Buffer.alloc(20, String((discussions += 1)).padStart(20, '-'))
  const note = await w.db
    .insertInto('notes')
    .values({
      noteable_id: issueId,
      author_id: by.id,
      body,
      internal,
      discussion_id,
      starts_discussion: replyTo === undefined,
      type: replyTo === undefined ? null : 'DiscussionNote',
      created_at: at,
      updated_at: at,
    })
    .returning(['id', 'discussion_id'])
    .executeTakeFirstOrThrow()
  await w.db
    .updateTable('noteables')
    .set((eb) =>
      internal
        ? { internal_notes_count: eb('internal_notes_count', '+', 1) }
        : { notes_count: eb('notes_count', '+', 1) },
    )
    .where('id', '=', issueId)
    .execute()
  if (named) {
    await w.db
      .insertInto('user_mentions')
      .values({ noteable_id: issueId, note_id: note.id, user_id: named.id })
      .execute()
  }
  if (award) {
    await w.db
      .insertInto('award_emoji')
      .values({ note_id: note.id, name: award, user_id: by.id, created_at: at, updated_at: at })
      .execute()
  }
  return note
}

/** The notes of an issue, comments and records. */
export const notesOf = (issueId: number) =>
  w.db
    .selectFrom('notes')
    .selectAll()
    .where('noteable_id', '=', issueId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

export const bodiesOf = async (issueId: number) => (await notesOf(issueId)).map(({ body }) => body)

/** Who is named in the notes of an issue. */
export async function namedIn(issueId: number): Promise<number[]> {
  const rows = await w.db
    .selectFrom('user_mentions')
    .select('user_id')
    .where('noteable_id', '=', issueId)
    .execute()
  return rows.map(({ user_id }) => user_id).toSorted((a, b) => a - b)
}

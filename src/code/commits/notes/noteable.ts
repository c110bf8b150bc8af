import { sql } from 'kysely'
import { visibleTo } from '#platform/access/visible.ts'
import { text } from '#platform/http/schema.ts'
import { inProjects } from '#planning/noteables/containers.ts'
import type { NoteableKind, Unrecorded } from '#planning/noteables/kind.ts'
import { codeReadableAt } from '#code/repositories/abilities.ts'
import { keepCommit } from '#code/repositories/keep-commit.ts'
import { MAX_NAME } from '#code/repositories/limits.ts'
import { findCommit, requestedRepository } from '#code/repositories/requested.ts'
import { rememberCommit } from './kept-commits.ts'
import { insertNotedCommits } from './noted-commits.ts'
import { placeNote } from './place-note.ts'

/** Commits have no rows until somebody speaks of them. */
const unrecorded: Unrecorded = {
  async keyOf(req, named) {
    const { commit } = await findCommit(await requestedRepository(req), String(named))
    return commit.id
  },
  async preserve(req, key) {
    const { repository, commit } = await findCommit(await requestedRepository(req), String(key))
    await keepCommit(req.server.services.repositories, repository, commit.id)
    await rememberCommit(req.server.db, req.project().container.id, commit)
  },
  async insert(tx, { key, container }) {
    const project = { id: container.id, namespace_id: container.namespace.namespace_id }
    const id = (await insertNotedCommits(tx, project, [String(key)])).get(String(key))
    if (id === undefined) throw new Error('insertNotedCommits finds what it has inserted')
    return id
  },
}

/** Commits as a kind of noteable. */
export const commitNoteable: NoteableKind = {
  name: 'commit',
  type: 'Commit',
  noun: 'commit',
  title: 'a commit',
  table: 'noted_commits',
  container: inProjects({
    read: 'download_code',
    createNote: 'create_commit_note',
    award: 'create_commit_note',
    readInternalNotes: 'read_internal_note',
    adminNotes: 'admin_note',
    setCreatedAt: 'set_created_at',
  }),
  segment: 'repository/commits',
  discussionsOnly: true,
  key: {
    param: 'sha',
    schema: text({
      max: MAX_NAME,
      description: 'An id or its beginning, or the URL-encoded name of a branch or tag.',
    }),
  },
  notes: {
    fields: { iid: false, imported: true, commands: false, diff: 'of one commit' },
    list: [],
    create: ['created_at', 'position'],
    update: { bodyRequired: false, confidential: false },
  },
  rows: {
    seesRestricted: () => true,
    select: ({ container, key }) => sql`
      select c.id, null::integer as iid, false as locked, true as open
      from noted_commits c where c.project_id = ${container} and c.sha = ${key}`,
  },
  unrecorded,
  place: placeNote,
  visibleTo: (viewer, id) => sql<boolean>`exists (
    select 1 from noted_commits hc join projects hcp on hcp.id = hc.project_id
      join namespaces hcn on hcn.id = hcp.project_namespace_id
      where hc.id = ${id} and ${visibleTo('hcn', viewer)} and ${codeReadableAt('hcp.settings', 'hcn', viewer)})`,
  notificationQueries: {
    select: (id) => sql`
      select 'Commit ' || left(c.sha, 8) as title, null::text as description, n.full_path || '/-/commit/' || c.sha as page,
        left(c.sha, 8) as reference, null::integer as iid, null::text as state
      from noted_commits c join projects p on p.id = c.project_id join namespaces n on n.id = p.project_namespace_id
      where c.id = ${id}`,
    // Its author is a name in the repository, and perhaps no user.
    people: () => sql`select null::bigint where false`,
  },
  // The message is in the repository, and nobody writes it again.
  text: (id) => sql`select '' as text from noted_commits where id = ${id}`,
  reference: ({ key }) => String(key),
  separator: '@',
  systemNotes: { facts: [], read: () => undefined },
  resourceEvents: { lists: [], of: { facts: [], read: () => undefined } },
}

import { type Expression, type RawBuilder, sql } from 'kysely'
import { inProjects } from '#planning/noteables/containers.ts'
import { readFacts } from '#planning/noteables/fact-reader.ts'
import { type NoteableKind, type SystemNote, titleAndDescription } from '#planning/noteables/kind.ts'
import { aboutSnippet } from './facts.ts'
import { SNIPPET } from './names.ts'
import { snippetKey } from './parameters.ts'
import { resolveSnippets } from './resolve-references.ts'
import { snippetVisibleTo } from './visible.ts'

/** Whether the snippet `s` is open to a user without a role; null for anonymous callers. `user` may be a column of `u`. */
function openToUser(user: Expression<number> | null): RawBuilder<boolean> {
  const own =
    user === null
      ? sql`false`
      : sql`(s.author_id = ${user} or s.visibility = 'internal' and exists (
          select 1 from users su where su.id = ${user} and not su.external))`
  return sql<boolean>`(s.visibility = 'public' or ${own})`
}

/**
 * Snippets as a kind of noteable. Those of persons are of this kind, too, but no path leads to notes on them: the paths begin
 * with a project.
 */
export const snippetNoteable: NoteableKind = {
  name: SNIPPET,
  type: 'Snippet',
  noun: 'snippet',
  title: 'a snippet',
  table: 'snippets',
  container: inProjects({
    read: 'read_snippet',
    createNote: 'create_snippet_note',
    award: 'award_snippet_emoji',
    readInternalNotes: 'read_internal_note',
    adminNotes: 'admin_note',
    setCreatedAt: 'set_created_at',
  }),
  segment: 'snippets',
  key: { param: 'snippet_id', schema: snippetKey },
  notes: {
    fields: { iid: false, imported: true, commands: true },
    list: [],
    create: ['created_at'],
    update: { bodyRequired: true, confidential: false },
  },
  rows: {
    seesRestricted: (caller) => caller.project().can('read_private_snippet'),
    select: ({ container, key, user }) => sql`
      select s.id, null::integer as iid, false as locked, ${openToUser(user)} as open
      from snippets s where s.project_id = ${container} and s.id = ${key}`,
  },
  visibleTo: (viewer, id) => sql<boolean>`exists (
    select 1 from snippets hs join noteables ho on ho.id = hs.id join namespaces hn on hn.id = ho.namespace_id
      left join projects hp on hp.id = hs.project_id
      where hs.id = ${id} and ${snippetVisibleTo(viewer, { snippet: 'hs', node: 'hn', project: 'hp' })})`,
  notificationQueries: {
    select: (id) => sql`
      select s.title, s.description, n.full_path || '/-/snippets/' || s.id as page, '$' || s.id as reference,
        null::integer as iid, null::text as state
      from snippets s join projects p on p.id = s.project_id join namespaces n on n.id = p.project_namespace_id
      where s.id = ${id}`,
    people: (id) => sql`select s.author_id from snippets s where s.id = ${id}`,
    openTo: (id, user) =>
      sql<boolean>`exists (select 1 from snippets s where s.id = ${id} and ${openToUser(user)})`,
  },
  text: titleAndDescription('snippets'),
  reference: ({ key }) => `$${key}`,
  referenceTarget: {
    as: 'snippet',
    resolve: resolveSnippets,
    mentioned: (snippet, { id, noun, reference }) => ({
      ...aboutSnippet(snippet),
      name: 'snippet mentioned',
      details: { about_id: id, noun, reference },
    }),
  },
  systemNotes: readFacts(['snippet mentioned'], ({ details }): SystemNote => ({
    body: `mentioned in ${details.noun} ${details.reference}`,
    about: details.about_id,
    mention: true,
  })),
  resourceEvents: { lists: [], of: readFacts([], () => []) },
}

import { type RawBuilder, sql } from 'kysely'
import { projectFeatureOpenAt } from '#platform/access/project-feature-rules.ts'
import type { NestedValues } from '#platform/access/nested-resource.ts'
import { groupVisibleTo, visibleTo } from '#platform/access/visible.ts'
import { text } from '#platform/http/schema.ts'
import { inGroups, inProjects } from '#planning/noteables/containers.ts'
import { readFacts } from '#planning/noteables/fact-reader.ts'
import type { NoteableKind } from '#planning/noteables/kind.ts'
import { kinds, WIKI_PAGE } from './names.ts'
import { groupWikis } from './tier.ts'

const rights = {
  read: 'read_wiki',
  createNote: 'discuss_wiki',
  award: 'discuss_wiki',
  // There are no internal notes on pages, and nobody says when one was written.
  readInternalNotes: 'admin_wiki_note',
  setCreatedAt: 'admin_wiki_note',
  adminNotes: 'admin_wiki_note',
} as const

/** What pages of projects and of groups have in common. */
const shared = {
  type: WIKI_PAGE,
  noun: 'wiki page',
  table: 'wiki_pages',
  segment: 'wiki_pages',
  key: {
    param: 'wiki_page_meta_id',
    // A slug is no mistake in the request: it finds nothing.
    schema: text({ max: 1_024, description: 'The `wiki_page_meta_id` of the page, not its slug.' }),
  },
  notes: {
    fields: { iid: false, imported: true, commands: true },
    list: [],
    create: [],
    update: { bodyRequired: true, confidential: false },
  },
  told: {
    select: (id: RawBuilder<number>) => sql`
      select replace(regexp_replace(w.slug, '^.*/', ''), '-', ' ') as title, null::text as description,
        case n.kind when 'group' then 'groups/' else '' end || n.full_path || '/-/wikis/' || w.slug as page,
        'wiki page' as reference, null::integer as iid, null::text as state
      from wiki_pages w join namespaces n on n.id = w.namespace_id where w.id = ${id} and w.deleted_at is null`,
    people: () => sql`select null::bigint where false`,
  },
  text: (id: RawBuilder<number>) => sql`select coalesce(slug, '') as text from wiki_pages where id = ${id}`,
  reference: ({ key }: { readonly key: string | number }) => `[wiki_page:${key}]`,
  systemNotes: readFacts([], () => ({ body: '' })),
  resourceEvents: { lists: [], of: readFacts([], () => []) },
} as const

/** Selects a page of the namespace with this id, by the digits of its own id. */
const pageIn = (namespace: RawBuilder<unknown>, key: NestedValues['key']) => sql`
  select w.id, null::integer as iid, false as locked, true as open
  from (select ${key}::text as digits) as asked
    join wiki_pages w on w.id = case when asked.digits ~ '^[0-9]{1,18}$' then asked.digits::bigint end
  where w.namespace_id = ${namespace} and w.deleted_at is null`

/** Pages of the wikis of projects, as a kind of noteable. */
export const wikiPageNoteable: NoteableKind = {
  ...shared,
  name: kinds.wiki,
  title: 'a wiki page',
  container: inProjects(rights),
  rows: {
    seesRestricted: () => true,
    select: ({ container, key }) =>
      pageIn(sql`(select p.project_namespace_id from projects p where p.id = ${container})`, key),
  },
  visibleTo: (viewer, id) => sql<boolean>`exists (
    select 1 from wiki_pages hw join namespaces hn on hn.id = hw.namespace_id
      join projects hp on hp.project_namespace_id = hn.id
      where hw.id = ${id} and hw.deleted_at is null and ${visibleTo('hn', viewer)}
        and ${projectFeatureOpenAt('wiki', 'hp.settings', 'hn', viewer)})`,
}

/** Pages of the wikis of groups, as another one: they need a plan. */
export const groupWikiPageNoteable: NoteableKind = {
  ...shared,
  name: kinds.group_wiki,
  title: 'a wiki page of a group',
  tier: groupWikis,
  container: inGroups(rights),
  rows: {
    seesRestricted: () => true,
    select: ({ container, key }) => pageIn(sql`${container}`, key),
  },
  visibleTo: (viewer, id) => sql<boolean>`exists (
    select 1 from wiki_pages hw join namespaces hn on hn.id = hw.namespace_id and hn.kind = 'group'
      where hw.id = ${id} and hw.deleted_at is null and ${groupVisibleTo('hn', viewer)}
        and ${projectFeatureOpenAt('wiki', 'hn.settings', 'hn', viewer)})`,
}

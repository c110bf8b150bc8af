import { sql } from 'kysely'
import { Type } from 'typebox'
import { archivedMoment, definePart } from '#code/archives/part.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { ReleaseLinkType } from '#platform/db/schema.ts'
import { list, nullable, oneOf, text } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { linkTypes } from './entity.ts'
import { assertLinks, MAX_LINKS } from './links.ts'
import { MAX_MILESTONES } from './milestones.ts'
import { releasesOf } from './queries.ts'

/** Releases that are read and written at once: each may have a long description and many links. */
const AT_ONCE = 20

const link = Type.Object({
  name: text({ max: 255, filled: true }),
  url: text({ max: 2_048, filled: true }),
  filepath: nullable(text({ max: 128 })),
  link_type: oneOf<ReleaseLinkType>(linkTypes),
})

/**
 * The releases of a project, with their links and the titles of their milestones. Whoever reads them into another project is their author.
 * Evidence stays where it was collected.
 */
export const archivedReleases = definePart({
  name: 'releases',
  most: 100_000,
  row: Type.Object({
    tag: text({ max: 1_024, filled: true }),
    name: text({ max: 255, filled: true }),
    description: nullable(text({ max: 125_000 })),
    sha: Type.String({ pattern: '^[0-9a-f]{40}$' }),
    released_at: archivedMoment(),
    created_at: archivedMoment(),
    links: list(link, { max: MAX_LINKS }),
    milestones: list(text(), { max: MAX_MILESTONES }),
  }),
  async readAfter(db, { id }, last) {
    const rows = await releasesOf(db, id, { milestone: 0 })
      .where('r.id', '>', last?.id ?? 0)
      .orderBy('r.id')
      .limit(AT_ONCE)
      .execute()
    return rows.map((row) => ({
      id: row.id,
      tag: row.tag,
      name: row.name,
      description: row.description,
      sha: row.sha,
      released_at: iso(row.released_at),
      created_at: iso(row.created_at),
      links: row.links.map(({ name, url, filepath, link_type }) => ({ name, url, filepath, link_type })),
      milestones: row.milestones.map(({ title }) => title),
    }))
  },
  async write(tx, { id, traversal_ids }, rows) {
    for (const { links } of rows)
      assertLinks(links.map(({ filepath, ...one }) => ({ ...one, ...(filepath !== null && { filepath }) })))
    await sql`
      with given as (
        select x.tag, x.name, x.description, x.sha, x.released_at, x.created_at, x.links, x.milestones
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as x (tag text, name text, description text, sha text,
          released_at timestamptz, created_at timestamptz, links jsonb, milestones jsonb)
      ), release as (
        insert into releases (project_id, tag, name, description, sha, author_id, released_at, created_at, updated_at)
        select ${id}, x.tag, x.name, x.description, x.sha, ${tx.author?.id ?? null}::bigint, x.released_at, x.created_at,
          ${tx.now}::timestamptz
        from given x on conflict do nothing returning id, tag, created_at
      ), linked as (
        insert into release_links (release_id, name, url, filepath, link_type, created_at, updated_at)
        select r.id, l.name, l.url, l.filepath, l.link_type, r.created_at, ${tx.now}::timestamptz
        from release r join given x on x.tag = r.tag cross join jsonb_to_recordset(x.links) as l (name text, url text,
          filepath text, link_type release_link_type)
      )
      insert into release_milestones (release_id, milestone_id)
      select distinct r.id, m.id from release r join given x on x.tag = r.tag
        cross join jsonb_array_elements_text(x.milestones) as named (title)
        join milestones m on m.title = named.title and ${isAnyOf('m.namespace_id', traversal_ids)}`.execute(
      tx.db,
    )
  },
})

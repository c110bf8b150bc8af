import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Db } from '#platform/db/pool.ts'

/** How much the instance holds: numbers as text, as clients expect them. */
export const Statistics = Type.Object({
  forks: Type.String(),
  issues: Type.String(),
  merge_requests: Type.String(),
  notes: Type.String(),
  snippets: Type.String(),
  ssh_keys: Type.String(),
  milestones: Type.String(),
  users: Type.String(),
  groups: Type.String(),
  projects: Type.String(),
  active_users: Type.String(),
})

/** Tables whose rows are estimated once there are many. */
const large = ['issues', 'notes', 'milestones', 'snippets'] as const

/** The number of rows of a table: exact up to a hundred thousand, beyond that PostgreSQL's last estimate. */
const sizeOf = (table: (typeof large)[number]) => sql<number>`
  (select case when c.reltuples > 100000 then c.reltuples::bigint else (select count(*) from ${sql.table(table)}) end
    from pg_class c where c.oid = ${sql.lit(table)}::regclass)`

type Counted = (typeof large)[number] | 'users' | 'groups' | 'projects' | 'active_users'

/** Counts everything in one statement. What does not exist yet counts zero. */
export async function countEverything(db: Db): Promise<Static<typeof Statistics>> {
  const sizes = sql.join(large.map((table) => sql`${sizeOf(table)} as ${sql.ref(table)}`))
  const { rows } = await sql<Record<Counted, number>>`
    select people.users, people.active_users, places.groups, places.projects, ${sizes}
    from (select count(*) as users, count(*) filter (where state = 'active' and kind = 'human') as active_users
        from users) as people,
      (select count(*) filter (where kind = 'group') as groups, count(*) filter (where kind = 'project') as projects
        from namespaces where deleted_at is null) as places`.execute(db)
  const [counts] = rows
  if (counts === undefined) throw new Error('Counting gave no row')
  return {
    forks: '0',
    issues: String(counts.issues),
    merge_requests: '0',
    notes: String(counts.notes),
    snippets: String(counts.snippets),
    ssh_keys: '0',
    milestones: String(counts.milestones),
    users: String(counts.users),
    groups: String(counts.groups),
    projects: String(counts.projects),
    active_users: String(counts.active_users),
  }
}

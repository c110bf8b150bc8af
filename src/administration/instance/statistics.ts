import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Db } from '#platform/db/pool.ts'
import { onlyOne } from '#platform/sequences.ts'

/** How much the instance holds: numbers as text with commas, as clients expect them. */
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
const large = [
  'project_forks',
  'issues',
  'merge_requests',
  'notes',
  'snippets',
  'ssh_keys',
  'milestones',
] as const

/** The number of rows of a table: exact up to a hundred thousand, beyond that PostgreSQL's last estimate. */
const sizeOf = (table: (typeof large)[number]) => sql<number>`
  (select case when c.reltuples > 100000 then c.reltuples::bigint else (select count(*) from ${sql.table(table)}) end
    from pg_class c where c.oid = ${sql.lit(table)}::regclass)`

type StatisticName = (typeof large)[number] | 'users' | 'groups' | 'projects' | 'active_users'

const written = new Intl.NumberFormat('en-US')

/** Counts everything in one statement. */
export async function countEverything(db: Db): Promise<Static<typeof Statistics>> {
  const sizes = sql.join(large.map((table) => sql`${sizeOf(table)} as ${sql.ref(table)}`))
  const { rows } = await sql<Record<StatisticName, number>>`
    select people.users, people.active_users, places.groups, places.projects, ${sizes}
    from (select count(*) as users, count(*) filter (where state = 'active' and kind = 'human') as active_users
        from users) as people,
      (select count(*) filter (where kind = 'group') as groups, count(*) filter (where kind = 'project') as projects
        from namespaces where deleted_at is null) as places`.execute(db)
  const counts = onlyOne(rows)
  const text = (name: StatisticName) => written.format(counts[name])
  return {
    forks: text('project_forks'),
    issues: text('issues'),
    merge_requests: text('merge_requests'),
    notes: text('notes'),
    snippets: text('snippets'),
    ssh_keys: text('ssh_keys'),
    milestones: text('milestones'),
    users: text('users'),
    groups: text('groups'),
    projects: text('projects'),
    active_users: text('active_users'),
  }
}

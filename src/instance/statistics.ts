import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import type { Db } from '#db/pool.ts'

/** How much the instance holds: digits as text, as clients expect them. */
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

/** Counts what there is, in one statement. What is not kept yet counts zero. */
export async function countEverything(db: Db): Promise<Static<typeof Statistics>> {
  const { rows } = await sql<Record<'users' | 'groups' | 'projects' | 'active_users', number>>`
    select people.users, people.active_users, places.groups, places.projects
    from (select count(*) as users, count(*) filter (where state = 'active' and kind = 'human') as active_users
        from users) as people,
      (select count(*) filter (where kind = 'group') as groups, count(*) filter (where kind = 'project') as projects
        from namespaces where deleted_at is null) as places`.execute(db)
  const [counts] = rows
  if (counts === undefined) throw new Error('Counting gave no row')
  return {
    forks: '0',
    issues: '0',
    merge_requests: '0',
    notes: '0',
    snippets: '0',
    ssh_keys: '0',
    milestones: '0',
    users: String(counts.users),
    groups: String(counts.groups),
    projects: String(counts.projects),
    active_users: String(counts.active_users),
  }
}

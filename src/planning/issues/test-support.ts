import { sql } from 'kysely'
import type { Answer } from '#test/client.ts'
import { unique, w } from '#test/world.ts'

interface Surroundings {
  readonly namespaceId: number
}

interface GivenMilestone {
  readonly title?: string
  readonly state?: 'active' | 'closed'
  readonly start_date?: string
  readonly due_date?: string
}

let milestones = 0

/** The id of a new milestone of a project or group, by the id of its namespace. */
export async function addMilestone(
  { namespaceId }: Surroundings,
  given: GivenMilestone = {},
): Promise<number> {
  milestones += 1
  const now = new Date().toISOString()
  const { id } = await w.db
    .insertInto('milestones')
    .values({
      title: unique('milestone'),
      ...given,
      namespace_id: namespaceId,
      iid: milestones,
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Lets a user react to an issue. */
export async function react(issueId: number, user: { id: number }, name: string): Promise<void> {
  const now = new Date().toISOString()
  await w.db
    .insertInto('award_emoji')
    .values({ noteable_id: issueId, user_id: user.id, name, created_at: now, updated_at: now })
    .execute()
}

/** Closes, opens or restricts the issues of a project. */
export async function setIssuesLevel(
  projectId: number,
  level: 'disabled' | 'private' | 'enabled',
): Promise<void> {
  await w.db
    .updateTable('projects')
    .set({ settings: sql`settings || ${JSON.stringify({ issues_access_level: level })}::jsonb` })
    .where('id', '=', projectId)
    .execute()
}

/** What was recorded of the issues of a project, in order. */
export async function factsOf({ namespaceId }: Surroundings): Promise<string[]> {
  const rows = await w.db
    .selectFrom('facts')
    .select('name')
    .where('namespace_id', '=', namespaceId)
    .where('name', 'like', 'issue %')
    .orderBy('id')
    .execute()
  return rows.map(({ name }) => name)
}

/** The titles in a list. */
export const titles = ({ body }: Answer): string[] => body.map(({ title }: { title: string }) => title)

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { openDb } from '#platform/db/pool.ts'
import { onDatabase } from './killing.ts'

const run = promisify(execFile)

/**
 * Expects that a repository is whole, that its references and the database agree, that each push is recorded once, and that nothing of
 * what was acknowledged is lost.
 * @param acknowledged branches, and the commits that a push has brought for certain
 */
export async function expectAgreement(
  data: string,
  project: number,
  acknowledged: ReadonlyMap<string, string>,
): Promise<void> {
  await onDatabase(data, async (pool) => {
    const db = openDb(pool)
    const row = await db
      .selectFrom('repositories')
      .select(['id', 'relative_path', 'branch_count', 'default_branch', 'last_commit_sha'])
      .where('project_id', '=', project)
      .executeTakeFirstOrThrow()
    const folder = join(data, 'repositories', row.relative_path)
    const git = async (...args: string[]) => (await run('git', ['-C', folder, ...args])).stdout.trim()
    await git('fsck', '--full', '--strict', '--no-dangling')
    const lines = (await git('for-each-ref', '--format=%(refname:lstrip=2) %(objectname)')).split('\n')
    const branches = new Map(
      lines.filter((line) => line !== '').map((line) => [line.split(' ')[0] ?? '', line.split(' ')[1] ?? '']),
    )
    expect(row.branch_count).toBe(branches.size)
    if (row.default_branch !== null) expect(branches.get(row.default_branch)).toBe(row.last_commit_sha)
    const { rows } = await sql<{ ref: string; to: string }>`
      select details ->> 'ref' as ref, details ->> 'commit_to' as "to" from facts where name = 'references pushed'
        and namespace_id = (select project_namespace_id from projects where id = ${project}) order by id`.execute(
      db,
    )
    const pending = await db
      .selectFrom('reference_changes')
      .select('id')
      .where('state', '=', 'pending')
      .execute()
    expect(pending).toEqual([])
    for (const [branch, tip] of branches) {
      const recorded = rows.filter(({ ref }) => ref === branch).map(({ to }) => to)
      expect(recorded.at(-1)).toBe(tip)
      expect(new Set(recorded).size).toBe(recorded.length)
      const reached = (await git('rev-list', tip)).split('\n')
      // Somebody whose answer was lost may push several commits at once the next time.
      expect(recorded.filter((id) => !reached.includes(id))).toEqual([])
      const known = acknowledged.get(branch)
      if (known === undefined) continue
      expect(reached).toContain(known)
      expect(recorded).toContain(known)
    }
  })
}

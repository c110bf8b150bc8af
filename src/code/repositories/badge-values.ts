import { sql } from 'kysely'
import type { ValuesOfProject } from '#tenancy/badges/extension-points.ts'
import { codeReadableAt } from './abilities.ts'

/** What repositories tell badges, from the row that every push keeps up to date. Git is not asked. */
export const valuesForBadges: ValuesOfProject = (viewer) =>
  sql`(select json_build_object('default_branch', r.default_branch, 'commit_sha', r.last_commit_sha,
      'latest_tag', r.last_tag)
    from repositories r
    where r.project_id = p.id and r.kind = 'project' and ${codeReadableAt('p.settings', 'n', viewer)})`

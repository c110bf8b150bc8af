import { sql } from 'kysely'
import { iso } from '#platform/http/time.ts'
import { completed } from '#tenancy/projects/project-settings.ts'
import type { ProjectExtension } from '#tenancy/projects/extension-points.ts'

declare module '#tenancy/projects/extension-points.ts' {
  interface ExtensionColumns {
    /** Null until a policy that deletes tags of images has been noted. */
    readonly next_tag_cleanup_at: string | null
  }
}

/** When the policy that deletes tags of images runs next. Projects say when they were made as long as none will. */
export const cleanupsOfProjects: ProjectExtension = {
  columns: () => [
    sql<string | null>`(select c.next_run_at from container_cleanup_runs c where c.project_id = p.id)`.as(
      'next_tag_cleanup_at',
    ),
  ],
  present: ({ next_tag_cleanup_at, settings }) =>
    next_tag_cleanup_at === null
      ? {}
      : {
          container_expiration_policy: {
            ...completed(settings).container_expiration_policy,
            next_run_at: iso(next_tag_cleanup_at),
          },
        },
}

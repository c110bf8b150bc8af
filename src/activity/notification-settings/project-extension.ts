import { type RawBuilder, sql } from 'kysely'
import type { SqlViewer } from '#platform/access/viewer.ts'
import type { ProjectExtension } from '#tenancy/projects/extension-points.ts'
import type { NotificationLevel } from './events.ts'

/** What somebody chose for a project, and for the nearest group above it that they chose anything for. */
export interface ChosenLevels {
  readonly project: NotificationLevel | null
  readonly group: NotificationLevel | null
}

declare module '#tenancy/projects/extension-points.ts' {
  interface ExtensionColumns {
    /** Null for anonymous callers. */
    readonly chosen_levels: ChosenLevels | null
  }
}

/** The numbers of the levels in `permissions` of projects. */
const numbers: Readonly<Record<NotificationLevel, number>> = {
  disabled: 0,
  participating: 1,
  watch: 2,
  global: 3,
  mention: 4,
  custom: 5,
}

const chosenBy = ({ id }: Pick<SqlViewer, 'id'>): RawBuilder<ChosenLevels | null> =>
  id === null
    ? sql`null::json`
    : sql`(
        select json_build_object('project', max(s.level) filter (where s.namespace_id = n.id),
          'group', (array_agg(s.level order by array_position(n.traversal_ids, s.namespace_id) desc)
            filter (where s.namespace_id <> n.id))[1])
        from notification_settings s where s.user_id = ${id} and s.namespace_id = any(n.traversal_ids))`

/** What people chose to be told of, in `permissions` of projects. */
export const levelsInProjects: ProjectExtension = {
  columns: (viewer) => [chosenBy(viewer).as('chosen_levels')],
  notificationLevels: ({ chosen_levels }) => ({
    project: numbers[chosen_levels?.project ?? 'global'],
    group: numbers[chosen_levels?.group ?? 'global'],
  }),
}

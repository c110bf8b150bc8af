import { type RawBuilder, sql } from 'kysely'

/** Whether runners of the groups above the project `p` take its jobs. */
export const acceptsGroupRunners: RawBuilder<boolean> = sql`(p.settings ->> 'group_runners_enabled' is distinct from 'false')`

/** Whether runners of the instance take jobs of the project `p`, whose node is `n`: neither it nor a group above it has them switched off. */
export const acceptsInstanceRunners: RawBuilder<boolean> = sql`(p.settings ->> 'shared_runners_enabled' is distinct from 'false'
  and not exists (select from namespaces a where a.id = any(n.traversal_ids)
    and a.settings ->> 'shared_runners_setting' in ('disabled_and_overridable', 'disabled_and_unoverridable')))`

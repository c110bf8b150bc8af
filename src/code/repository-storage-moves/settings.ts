import { integer, nullable } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

/** The workers of the lane in which moves run are three in each process. */
export const MOST_AT_ONCE = 3

export const storageMoveSettings = {
  repository_storage_moves_at_once: setting(
    integer({ minimum: 1, maximum: MOST_AT_ONCE }),
    1,
    'How many projects, groups and snippets move to another storage at once, on all nodes together.',
  ),
  repository_storage_moves_bandwidth: setting(
    nullable(integer({ minimum: 1, maximum: 100_000 })),
    25,
    'How many megabytes all moves between storages copy in a second; null means no limit.',
  ),
  repository_storage_moves_source_retention: setting(
    integer({ minimum: 0, maximum: 86_400 }),
    30,
    'For how many seconds the old folder of a repository stays after a move, for requests that began before.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof storageMoveSettings> {}
}

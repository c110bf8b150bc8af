import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { RepositoryStorageMoveState } from '#platform/db/schema.ts'

export interface UnfinishedMoves {
  readonly state: RepositoryStorageMoveState
  readonly count: number
  /** Bytes of their repositories, as far as they were looked at. */
  readonly total: number
  readonly copied: number
}

/** Counts the moves that are not finished, by state. */
export async function countUnfinished(db: Db): Promise<readonly UnfinishedMoves[]> {
  const { rows } = await sql<UnfinishedMoves>`
    select state, count(*)::bigint as count, sum(bytes_total)::bigint as total, sum(bytes_copied)::bigint as copied
    from repository_storage_moves where state <> 'finished' group by state order by state`.execute(db)
  return rows
}

export interface StorageUse {
  readonly storage: string
  readonly repositories: number
  readonly bytes: number
}

/** How many repositories each storage has, and how large they are. */
export async function useOfStorages(db: Db): Promise<readonly StorageUse[]> {
  const { rows } = await sql<StorageUse>`
    select storage, count(*)::bigint as repositories, sum(size)::bigint as bytes
    from repositories group by storage order by storage`.execute(db)
  return rows
}

export interface MoveUnderWay {
  readonly id: number
  /** Such as `project 12`. */
  readonly owner: string
  readonly state: RepositoryStorageMoveState
  readonly source: string
  readonly destination: string
  readonly total: number
  readonly copied: number
  readonly error: string | null
}

/** The moves that copy now, or that somebody should look at; at most a hundred. */
export async function movesUnderWay(db: Db): Promise<readonly MoveUnderWay[]> {
  const { rows } = await sql<MoveUnderWay>`
    select id, state, source_storage_name as source, destination_storage_name as destination,
      bytes_total as total, bytes_copied as copied, error,
      case when project_id is not null then 'project ' || project_id
        when group_id is not null then 'group ' || group_id else 'snippet ' || snippet_id end as owner
    from repository_storage_moves where state in ('started', 'replicated', 'failed', 'cleanup failed')
    order by state, id desc limit 100`.execute(db)
  return rows
}

import { iso } from '#platform/http/time.ts'
import type { LfsLock } from './queries.ts'

/** A lock as clients of LFS know it. The person is named as in mentions. */
export const presentLock = ({ id, path, created_at, username }: LfsLock) => ({
  id: String(id),
  path,
  locked_at: iso(created_at),
  owner: { name: username },
})

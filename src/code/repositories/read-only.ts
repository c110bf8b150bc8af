import { unavailable } from '#platform/refusals.ts'
import { knownTexts } from '#platform/known-texts.ts'
import { isSamePlace, type Place, type RepositoryRow } from './rows.ts'

/** What people and git are told while a repository moves to another storage. */
export const READ_ONLY = knownTexts['read-only']

/** @throws 503 while the repository is read-only, and when it is no longer where it `was` */
export function assertWritable(
  row: Place & Pick<RepositoryRow, 'read_only_because'>,
  was: Place = row,
): void {
  if (row.read_only_because !== null || !isSamePlace(row, was)) throw unavailable(READ_ONLY, 60)
}

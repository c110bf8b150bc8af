import { completed } from '#tenancy/projects/project-settings.ts'
import type { MergeRequestRow } from '../queries.ts'

/** Whether commits are squashed: as the project says, or else whoever merges, or else the merge request. */
export function squashes({ settings, squash }: MergeRequestRow, wanted: boolean | undefined): boolean {
  const { squash_option } = completed(settings)
  if (squash_option === 'always') return true
  return squash_option !== 'never' && (wanted ?? squash)
}

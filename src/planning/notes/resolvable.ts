import type { NoteType } from '#platform/db/schema.ts'
import type { NoteableKind } from '#planning/noteables/kind.ts'

/** Whether a note can be resolved: notes of threads can, single notes and those of the system cannot. */
export const isResolvable = (
  { type, system }: { readonly type: NoteType | null; readonly system: boolean },
  { resolving }: NoteableKind,
): boolean => resolving !== undefined && type !== null && !system

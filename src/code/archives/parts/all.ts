import type { ArchivePart } from '../part.ts'
import { badges } from './badges.ts'
import { issues } from './issues.ts'
import { labels } from './labels.ts'
import { milestones } from './milestones.ts'
import { notes } from './notes.ts'

/** The parts of an archive, in the order in which they are written: each refers to those before. */
export const parts: readonly ArchivePart[] = [labels, milestones, badges, issues, notes]

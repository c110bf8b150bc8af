import { ExtensionPoint } from '#platform/extension-point.ts'
import type { ArchivePart } from '../part.ts'
import { badges } from './badges.ts'
import { boards } from './boards.ts'
import { issues } from './issues.ts'
import { labels } from './labels.ts'
import { milestones } from './milestones.ts'
import { notes } from './notes.ts'
import { uploads } from './uploads.ts'

/** Parts that districts above add. */
export const archiveParts = new ExtensionPoint<ArchivePart>('the list of what archives of projects hold')

const own: readonly ArchivePart[] = [labels, milestones, badges, issues, notes, boards, uploads]

/** The parts of an archive, in the order in which they are written: each refers to those before. */
export const allParts = (): readonly ArchivePart[] => [...own, ...archiveParts.entries]

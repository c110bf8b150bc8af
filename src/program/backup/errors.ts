import { Refused } from '#program/cli/command.ts'

/** Something that reads as a backup and is none, or not a whole one. */
export class BackupDamaged extends Refused {
  override readonly name = 'Refused'
}

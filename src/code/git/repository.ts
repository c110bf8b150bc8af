import type { Git } from './processes/git.ts'
import type { Location } from './processes/location.ts'

/** A repository on the disk of this machine, and the processes that read it. */
export interface Repository extends Location {
  /** The id of its row in `repositories`. */
  readonly id: number
  readonly git: Git
}

/** Where git finds a repository. */
export interface Location {
  /** The absolute path of its folder. */
  readonly folder: string
  /**
   * A folder for new objects, beside those of the repository: they are read as if they were there, and nobody else
   * sees them.
   */
  readonly quarantine?: string
}

/** What tells one location from all others. */
export const keyOf = ({ folder, quarantine = '' }: Location): string => `${folder}\0${quarantine}`

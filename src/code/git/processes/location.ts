/** Where git finds a repository. */
export interface Location {
  /** The absolute path of its folder. */
  readonly folder: string
  /**
   * A folder for new objects, beside those of the repository: they are read as if they were there, and nobody else
   * sees them.
   */
  readonly quarantine?: string
  /** The folder of another repository, whose objects are read as if they were there, too. */
  readonly borrows?: string
}

/** What tells one location from all others. */
export const keyOf = ({ folder, quarantine = '', borrows = '' }: Location): string =>
  `${folder}\0${quarantine}\0${borrows}`

import { Busy, Conflict, Full, TooLarge } from '#platform/refusals.ts'
import type { Shortage } from '#platform/shares/shares.ts'

/** A git process ended with an error. {@link meaningOfFailure} says what it means for the caller. */
export class GitFailed extends Error {
  override readonly name = 'GitFailed'
  readonly repository: string
  readonly command: string
  /** Null when a signal ended it. */
  readonly exitCode: number | null
  /** The end of what it wrote to standard error. */
  readonly stderr: string

  constructor(of: Pick<GitFailed, 'repository' | 'command' | 'exitCode' | 'stderr'>) {
    super(`git ${of.command} ended with ${of.exitCode ?? 'a signal'}: ${of.stderr.trim()}`)
    this.repository = of.repository
    this.command = of.command
    this.exitCode = of.exitCode
    this.stderr = of.stderr
  }
}

/** The maximum number of git processes runs already, of all callers or of this one. */
export class GitBusy extends Busy {
  constructor(shortage: Shortage = 'of all') {
    const whose = shortage === 'of all' ? 'too many requests use' : 'too many of your requests use'
    super(`${whose} repositories at once; try again in some seconds`, 5)
  }
}

/** A git process took too long and was ended, or all processes of a request together did. */
export class GitTimeout extends Busy {
  constructor(command: string) {
    super('the repository took too long to answer', 30, new Error(`git ${command} took too long`))
  }
}

/** The server's git processes were ended from outside. The next ones start again. */
export class GitInterrupted extends Busy {
  constructor(cause: unknown) {
    super('git was ended before it had answered; try again', 1, cause)
  }
}

/** The folder of a repository, or its whole storage, is not there or cannot be read. */
export class RepositoryMissing extends Busy {
  constructor(cause: unknown) {
    super('the repository cannot be read; tell an administrator of this server', 60, cause)
  }
}

/** An object of the repository is damaged or lost. */
export class RepositoryCorrupt extends Busy {
  constructor(cause: unknown) {
    super('the repository is damaged; tell an administrator of this server', 300, cause)
  }
}

/** The disk has no room left. */
export class StorageFull extends Full {
  constructor(cause: unknown) {
    super('the repository storage of this server is full', cause)
  }
}

/** Two changes of a reference met, or the reference has another value than a change expected. */
export class ReferenceConflict extends Conflict {
  constructor(reference: string) {
    super(`409 Conflict - ${reference} was changed by somebody else`)
  }
}

/** A process wanted more memory or time than it may have: for a folder of thousands of millions of files, for example. */
export class TooMuchForGit extends TooLarge {
  constructor(cause: unknown) {
    super('this takes more memory or time than a request may use', cause)
  }
}

/** The output of a process is larger than its caller allows. */
export class OutputTooLarge extends TooLarge {}

/** The processes of a request have written more together than one request may read. */
export class ReadsTooMuch extends OutputTooLarge {
  constructor() {
    super('one request reads too much of the repository')
  }
}

const MEMORY = /out of memory|cannot allocate memory|memory exhausted/i
const FULL = /No space left on device|Disk quota exceeded|ENOSPC|EDQUOT/
const MISSING =
  /not a git repository|does not appear to be a git repository|ENOENT|ENOTDIR|EACCES|Stale file handle/
const CORRUPT =
  /is corrupt|corrupt loose object|unable to read (?:tree|sha1|[0-9a-f]{40})|packed object .* is corrupt|inflate: data stream error|bad tree object|bad object|missing blob|missing tree|could not parse (?:commit|object)|failed to read object|object file .* is empty|does not match index|Could not read [0-9a-f]{40}|unable to parse commit/i

/** The refusal that a failure of git means for the caller; the failure itself when it is a defect of this program. */
export function meaningOfFailure(failure: GitFailed): Error {
  const { stderr } = failure
  if (MEMORY.test(stderr)) return new TooMuchForGit(failure)
  if (FULL.test(stderr)) return new StorageFull(failure)
  if (MISSING.test(stderr)) return new RepositoryMissing(failure)
  if (CORRUPT.test(stderr)) return new RepositoryCorrupt(failure)
  return failure
}

/** The same for an error of the file system. */
export function meaningOfDiskError(error: unknown): Error {
  const text = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (FULL.test(text)) return new StorageFull(error)
  if (MISSING.test(text) || text === 'EIO' || text === 'EROFS') return new RepositoryMissing(error)
  return error instanceof Error ? error : new Error(String(error))
}

import type { FastifyInstance } from 'fastify'
import type { AccessContext } from '#platform/access/access-context.ts'
import type { User } from '#platform/access/identity.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { WrittenBy } from '#platform/db/transaction.ts'
import { ExtensionPoint } from '#platform/extension-point.ts'
import type { PushedOptions } from '#code/repositories/push-options.ts'
import type { RepositoryOwner } from '#code/repositories/rows.ts'

/** The service that a client asks for: `git-upload-pack` reads, `git-receive-pack` writes. */
export type Service = 'git-upload-pack' | 'git-receive-pack'

/** Who asks for a repository by git, over whichever protocol. */
export interface GitCaller {
  readonly services: FastifyInstance['services']
  /** Undefined for strangers. */
  readonly user: User | undefined
  readonly viewer: Viewer
  /** The author whom recorded changes name. */
  readonly by: WrittenBy
  /** Where the web pages are for them. */
  readonly site: string
}

/** A repository, with what decides what a caller may do with it. */
export interface GitSubject {
  readonly owner: RepositoryOwner
  /** The default branch that somebody chose before the first push. */
  readonly defaultBranch?: string | undefined
  /** The caller's access to the project or group that owns the repository. */
  readonly accessContext: AccessContext
}

/** Somebody who uses git with a credential of their own. */
export interface GitPerson {
  readonly user: User
  readonly viewer: Viewer
}

/** A caller who may use a repository as they asked. */
export interface GitAccess extends GitSubject {
  /** Null for credentials that belong to no person. */
  readonly userId: number | null
  /** Undefined for the same. */
  readonly person?: GitPerson | undefined
  /** The author whom recorded changes name. */
  readonly by: WrittenBy
  /** Where the web pages are for them. */
  readonly site: string
  /** What counts as said with each of their pushes. */
  readonly options?: PushedOptions
  /** What they read before anything else about their push. */
  readonly remarks?: readonly string[]
}

/** A repository that a caller may see, with a sentence that says why they may not read or write it. */
export interface GitRights extends GitSubject {
  readonly refusals: { readonly reading: string | undefined; readonly writing: string | undefined }
}

/** A kind of repository besides those of projects, such as wikis. The first kind whose paths have the form of a path decides. */
export interface GitRepositories {
  /** Whether a path has the form of this kind's paths. */
  named(path: string): boolean
  /** @throws 404 for what the caller may not see, {@link RepositoryMoved} after a rename. */
  authorize(caller: GitCaller, path: string): Promise<GitRights>
}

export const gitRepositories = new ExtensionPoint<GitRepositories>('the list of repositories for git')

/** The repository that somebody may see is at another path now. */
export class RepositoryMoved extends Error {
  override readonly name = 'RepositoryMoved'
  /** Without `.git`. */
  readonly path: string
  constructor(path: string) {
    super(`moved to ${path}`)
    this.path = path
  }
}

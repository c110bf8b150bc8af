import { authorizeProject, type AuthorizedProject, Moved } from '#platform/access/authorize.ts'
import { transact, type TransactionSource, type Tx, type WrittenBy } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { GitPerson } from '#code/git-transport/access.ts'
import type { FinishedPush } from '#code/git-transport/after-push.ts'
import type { WritingCaller } from '#planning/noteables/containers.ts'
import type { AskedOptions } from './asked-options.ts'

/** A branch that was pushed, and what its options ask for. */
export class PushedBranch {
  readonly push: FinishedPush
  readonly person: GitPerson
  readonly source: { readonly project: number; readonly branch: string }
  readonly asked: AskedOptions
  /** The project that the options name; undefined when they name none. */
  readonly target: AuthorizedProject | undefined

  private constructor(
    push: FinishedPush,
    person: GitPerson,
    source: PushedBranch['source'],
    asked: AskedOptions,
    target: AuthorizedProject | undefined,
  ) {
    this.push = push
    this.person = person
    this.source = source
    this.asked = asked
    this.target = target
  }

  /** @throws 404, 403 for a project that the person may not use */
  static async of(
    push: FinishedPush,
    person: GitPerson,
    source: PushedBranch['source'],
    asked: AskedOptions,
  ): Promise<PushedBranch> {
    const { targetProject } = asked
    const target =
      targetProject === undefined
        ? undefined
        : await authorized(push, person, targetProject, 'read_merge_request')
    return new PushedBranch(push, person, source, asked, target)
  }

  /** The person as the API knows callers, in a project. */
  writerIn(project: AuthorizedProject): WritingCaller {
    const { services, access } = this.push
    return {
      ...this.person,
      user: () => this.person.user,
      site: access.site,
      server: { db: services.db, services },
      project: () => project,
      group: () => {
        throw notFound()
      },
      write: writingAs(services, access.by),
    }
  }

  authorize(idOrPath: string, ability: Parameters<typeof authorizeProject>[3]): Promise<AuthorizedProject> {
    return authorized(this.push, this.person, idOrPath, ability)
  }
}

async function authorized(
  { services: { db } }: FinishedPush,
  { viewer }: GitPerson,
  idOrPath: string,
  ability: Parameters<typeof authorizeProject>[3],
): Promise<AuthorizedProject> {
  try {
    return await authorizeProject(db, viewer, idOrPath, ability)
  } catch (error) {
    if (!(error instanceof Moved)) throw error
    return authorizeProject(db, viewer, String(error.id), ability)
  }
}

/** What writes of a request are, by somebody who sends none. */
function writingAs(source: TransactionSource, by: WrittenBy): WritingCaller['write'] {
  function write<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  function write<T, Answer>(
    work: (tx: Tx) => Promise<T>,
    answer: (tx: Tx, made: T) => Promise<Answer>,
  ): Promise<Answer>
  function write<T>(
    work: (tx: Tx) => Promise<T>,
    answer?: (tx: Tx, made: T) => Promise<unknown>,
  ): Promise<unknown> {
    return answer === undefined ? transact(source, by, work) : transact(source, by, work, answer)
  }
  return write
}

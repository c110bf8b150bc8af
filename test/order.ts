import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Copies the database of its worker, which is small before other files have filled it. */
const FIRST = 'test/contract/neighbours.test.ts'

/**
 * Files that take long, those that take longest first: begun last, they would leave the other workers idle at the end. Some
 * of them mostly wait for programs, and run beside those that compute.
 */
const LONG = [
  FIRST,
  'test/access/routes.test.ts',
  'test/package.test.ts',
  'test/access/credentials.test.ts',
  'test/contract/noteables.test.ts',
  'test/program/docs.test.ts',
  'test/contract/hostile-bounds.test.ts',
  'test/program/ephemeral.test.ts',
  'test/contract/conflicts.test.ts',
  'test/browser/pages.test.ts',
  'test/contract/hostile.test.ts',
  'test/contract/long-pages.test.ts',
  'test/crash/storage-moves.test.ts',
  'test/crash/crash.test.ts',
  'test/crash/notifications.test.ts',
  'test/embedded/access.test.ts',
  'test/embedded/start.test.ts',
  'test/crash/webhooks.test.ts',
  'src/identity/namespaces/large-deletion.test.ts',
  'test/browser/oauth.test.ts',
  'test/program/bundle.test.ts',
  'test/program/signals.test.ts',
  'src/planning/issues/plans.test.ts',
  'test/program/backup.test.ts',
  'src/code/git-http/git-http.test.ts',
  'src/code/merge-requests/list/plans.test.ts',
  'src/code/merge-requests/merge/merging.test.ts',
  'src/platform/files/s3/s3.test.ts',
  'src/code/repository-storage-moves/copying.test.ts',
  'src/code/repository-storage-moves/moves.test.ts',
]

/** Long files first, the others in the usual order. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONG.findIndex((file) => moduleId.endsWith(`/${file}`))
      return at < 0 ? LONG.length : at
    }
    // oxlint-disable-next-line unicorn/no-array-sort -- what is called so here is no method of arrays
    const usual = await super.sort(files)
    return usual.toSorted((a, b) => rank(a) - rank(b))
  }
}

import { OPTIONS } from './changed-files.ts'
import { assertBounded } from './diff.ts'
import { OutputTooLarge, ReadsTooMuch, TooMuchForGit } from './errors.ts'
import type { Repository } from './repository.ts'

/** The most bytes of a diff that is identified, and the milliseconds that it may take. */
const MAX_DIFF_BYTES = 16 * 1024 * 1024
const TIME = 10_000

/**
 * What `git patch-id --stable` says of how two commits differ: the same for the same changes elsewhere.
 * @returns undefined when nothing differs, or too much.
 * @throws {ReadsTooMuch}, {GitTimeout} and {GitBusy}, which say nothing about the diff: the next one who asks may learn its id.
 */
export async function patchId(
  repository: Repository,
  before: string,
  after: string,
): Promise<string | undefined> {
  const { git } = repository
  try {
    await assertBounded(repository, before, after)
    const args = ['diff-tree', ...OPTIONS, '--patch', before, after, '--']
    const { output } = await git.capture(repository, args, { maxBytes: MAX_DIFF_BYTES, time: TIME })
    return /^[0-9a-f]{40}/.exec(await git.text(repository, ['patch-id', '--stable'], { input: output }))?.[0]
  } catch (error) {
    if (error instanceof TooMuchForGit) return undefined
    if (error instanceof OutputTooLarge && !(error instanceof ReadsTooMuch)) return undefined
    throw error
  }
}

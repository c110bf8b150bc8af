import { OPTIONS } from './changed-files.ts'
import { assertBounded } from './diff.ts'
import { READING_MEMORY } from './processes/lanes.ts'
import { streamOutput, type StreamedOutput } from './processes/stream-output.ts'
import type { Repository } from './repository.ts'

/**
 * How two commits differ as git writes it, of any length, in a process of its own. The signal ends it.
 * @throws {TooMuchForGit} when more files differ than git can look at.
 */
export async function streamDiff(
  repository: Repository,
  before: string,
  after: string,
  signal?: AbortSignal,
): Promise<StreamedOutput> {
  await assertBounded(repository, before, after)
  const args = ['diff-tree', ...OPTIONS, '--patch', before, after, '--']
  const process = await repository.git.start(repository, args, {
    lane: 'transfer',
    memory: READING_MEMORY,
    ...(signal && { signal }),
  })
  process.stdin.end()
  return streamOutput(process)
}

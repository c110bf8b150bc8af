import type { ChangedFile } from './changed-files.ts'
import { objectInfo } from './objects.ts'
import type { Repository } from './repository.ts'

/** Bytes of a file that git compares line by line: `core.bigFileThreshold`. */
const THRESHOLD = 20 * 1024 * 1024
/** Files that one process is told to leave out. Further ones are read one after the other, until its time is over. */
const MOST = 100

/**
 * The files that came or went and are so large that git calls them binary. It does so without a look at large files that
 * are on both sides, but reads those that are on one side whole.
 */
export async function largeAmong(
  repository: Repository,
  changes: readonly ChangedFile[],
): Promise<ReadonlySet<ChangedFile>> {
  const oneSided = changes.filter(
    ({ status, newMode, oldMode }) =>
      (status === 'added' && newMode !== SUBMODULE) || (status === 'deleted' && oldMode !== SUBMODULE),
  )
  const sizes = await Promise.all(
    oneSided.map(async (change) => {
      const info = await objectInfo(repository, change.status === 'added' ? change.newId : change.oldId)
      return { change, size: info?.size ?? 0 }
    }),
  )
  const large = sizes.filter(({ size }) => size > THRESHOLD).toSorted((a, b) => b.size - a.size)
  return new Set(large.slice(0, MOST).map(({ change }) => change))
}

const SUBMODULE = '160000'

/** What git says of such a file. */
export const noteOf = ({ status, newPath }: ChangedFile): string =>
  status === 'added'
    ? `Binary files /dev/null and b/${newPath} differ\n`
    : `Binary files a/${newPath} and /dev/null differ\n`

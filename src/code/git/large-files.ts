import type { ChangedFile } from './changed-files.ts'
import { objectInfo } from './objects.ts'
import type { Repository } from './repository.ts'

/** Bytes of a file that git compares line by line: `core.bigFileThreshold`. */
const THRESHOLD = 20 * 1024 * 1024
/** Files that one process is told to leave out. Further ones are read one after the other, until its time is over. */
const MAX_LEFT_OUT = 100

/**
 * The files that came or went and are so large that git calls them binary. It does so without a look at large files that
 * are on both sides, but reads those that are on one side whole. Only files that git can leave out alone are among them: not
 * those whose place a folder has on the other side, nor those whose name is not UTF-8.
 */
export async function largeAmong(
  repository: Repository,
  changes: readonly ChangedFile[],
): Promise<ReadonlySet<ChangedFile>> {
  const folders = new Set(changes.flatMap(({ oldPath, newPath }) => [...above(oldPath), ...above(newPath)]))
  const oneSided = changes.filter(
    ({ status, newMode, oldMode, newPath }) =>
      ((status === 'added' && newMode !== SUBMODULE) || (status === 'deleted' && oldMode !== SUBMODULE)) &&
      !folders.has(newPath) &&
      !newPath.includes('\ufffd'),
  )
  const sizes = await Promise.all(
    oneSided.map(async (change) => {
      const info = await objectInfo(repository, change.status === 'added' ? change.newId : change.oldId)
      return { change, size: info?.size ?? 0 }
    }),
  )
  const large = sizes.filter(({ size }) => size > THRESHOLD).toSorted((a, b) => b.size - a.size)
  return new Set(large.slice(0, MAX_LEFT_OUT).map(({ change }) => change))
}

/** The folders that a path is in. */
function* above(path: string): Generator<string> {
  for (let end = path.indexOf('/'); end >= 0; end = path.indexOf('/', end + 1)) yield path.slice(0, end)
}

const SUBMODULE = '160000'

/** What git says of such a file. */
export const noteOf = ({ status, newPath }: ChangedFile): string =>
  status === 'added'
    ? `Binary files /dev/null and b/${newPath} differ\n`
    : `Binary files a/${newPath} and /dev/null differ\n`

import { randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { memoryOf } from './children.ts'
import { git, timed } from './git-client.ts'
import { atMost, type Measure, median, reported } from './measures.ts'

const OBJECTS = 10
const MEGABYTES = 20

/**
 * How quickly the real client of Git LFS brings and fetches objects, and what memory that takes.
 * @param pid of the server
 * @param project makes an empty project, and tells its address with a token
 */
export async function measureLfs(
  folder: string,
  pid: number,
  project: () => Promise<string>,
  rounds: number,
): Promise<readonly Measure[]> {
  const path = join(folder, 'lfs')
  await mkdir(path)
  await git(path, 'init', '--quiet', '--initial-branch=main')
  await git(path, 'lfs', 'install', '--local')
  await git(path, 'lfs', 'track', '*.bin')
  const pushes: number[] = []
  const clones: number[] = []
  let idle = 0
  let most = 0
  for (let round = 0; round <= rounds; round += 1) {
    for (let object = 0; object < OBJECTS; object += 1)
      await writeFile(join(path, `${object}.bin`), randomBytes(MEGABYTES * 1024 * 1024))
    await git(path, 'add', '.')
    await git(path, 'commit', '--quiet', '--amend', '--allow-empty', '-m', 'Objects').catch(() =>
      git(path, 'commit', '--quiet', '-m', 'Objects'),
    )
    const url = await project()
    const push = await timed(() => git(path, 'push', '--quiet', url, 'HEAD:refs/heads/main'))
    const target = join(folder, `lfs-${round}`)
    const configured = [
      '-c',
      'filter.lfs.smudge=git-lfs smudge -- %f',
      '-c',
      'filter.lfs.process=git-lfs filter-process',
    ]
    const clone = await timed(() => git(folder, ...configured, 'clone', '--quiet', url, target))
    await rm(target, { recursive: true })
    // What the first round has loaded stays.
    if (round === 0) idle = await memoryOf(pid)
    else {
      pushes.push(push)
      clones.push(clone)
      most = Math.max(most, await memoryOf(pid))
    }
  }
  const total = OBJECTS * MEGABYTES
  const speed = (times: readonly number[]) => `${((total * 1_000) / median(times)).toFixed(0)} MB/s`
  return [
    reported(`push of ${OBJECTS} objects of Git LFS, ${total} MB`, speed(pushes)),
    reported('clone with these objects', speed(clones)),
    atMost('growth of memory by them (PSS)', most - idle, 80, `${(most - idle).toFixed(0)} MB`),
  ]
}

import { randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { memoryOf, startChild, temporaryFolder } from './children.ts'
import { git, timed } from './git-client.ts'
import { measureLfs } from './lfs.ts'
import { atLeast, atMost, type Effort, type Measure, median, reported } from './measures.ts'

const TOKEN = 'glpat-the-token-of-the-bench-of-git'
const MEGABYTES = 200
const SMALL = 15

/** Clone and push against `git http-backend` behind a bare HTTP server, with the same client and the same disk. */
export async function measureGit({ rounds }: Effort): Promise<Measure[]> {
  await using folder = await temporaryFolder()
  const plainFolder = join(folder.path, 'plain')
  await mkdir(plainFolder)
  await using forgelet = await startChild<{ url: string }>('boot.js', [], {
    FORGELET_DATA: join(folder.path, 'data'),
    FORGELET_PORT: '0',
    FORGELET_ROOT_TOKEN: TOKEN,
  })
  await using backend = await startChild<{ url: string }>('http-backend.ts', [plainFolder])
  let serial = 0
  const ours = async () => {
    const name = `project-${++serial}`
    await fetch(`${forgelet.said.url}/api/v4/projects`, {
      method: 'POST',
      headers: { 'private-token': TOKEN },
      body: new URLSearchParams({ name }),
    })
    return `${forgelet.said.url.replace('://', `://x:${TOKEN}@`)}/root/${name}.git`
  }
  const theirs = async () => {
    const name = `project-${++serial}.git`
    await git(plainFolder, 'init', '--quiet', '--bare', name)
    return `${backend.said.url}/${name}`
  }
  const large = await repositoryWith(folder.path, MEGABYTES)
  const [small, hereMs, thereMs] = await measureSmall(folder.path, await ours(), await theirs())
  // What these pushes have loaded stays.
  const idle = await memoryOf(forgelet.pid)
  const pushes: number[] = []
  const clones: number[] = []
  let most = idle
  for (let round = 0; round < rounds; round += 1) {
    const [a, b] = [await ours(), await theirs()]
    const push = (url: string) => timed(() => git(large, 'push', '--quiet', url, 'HEAD:refs/heads/main'))
    const [hereFirst, there] = [await push(a), await push(b)]
    pushes.push(there / hereFirst)
    const clone = async (url: string) => {
      const target = join(folder.path, `clone-${++serial}`)
      const time = await timed(() => git(folder.path, 'clone', '--quiet', '--bare', url, target))
      await rm(target, { recursive: true })
      return time
    }
    const [here, plain] = [await clone(a), await clone(b)]
    clones.push(plain / here)
    most = Math.max(most, await memoryOf(forgelet.pid))
  }
  const lfs = await measureLfs(folder.path, forgelet.pid, ours, rounds)
  return [
    atLeast(`push of ${MEGABYTES} MB: share of the throughput of git http-backend`, median(pushes), 0.9),
    atLeast(`clone of ${MEGABYTES} MB: share of the throughput of git http-backend`, median(clones), 0.9),
    atLeast('push of one small commit: share of the rate of git http-backend', small, 0.5),
    reported('the same in milliseconds, here and there', `${hereMs.toFixed(0)} and ${thereMs.toFixed(0)} ms`),
    atMost(
      'growth of memory by the large transfers (PSS)',
      most - idle,
      80,
      `${(most - idle).toFixed(0)} MB`,
    ),
    ...lfs,
  ]
}

/** Makes a repository of so many megabytes, most of them random. */
export async function repositoryWith(folder: string, megabytes: number): Promise<string> {
  const path = join(folder, 'large')
  await mkdir(path)
  await git(path, 'init', '--quiet')
  for (let file = 0; file < megabytes / 4; file += 1) {
    await writeFile(join(path, `random-${file}`), randomBytes(4 * 1024 * 1024))
  }
  for (let file = 0; file < 2_000; file += 1)
    await writeFile(join(path, `text-${file}`), `${file}\n`.repeat(100))
  await git(path, 'add', '.')
  await git(path, '-c', 'core.compression=0', 'commit', '--quiet', '-m', 'Large')
  return path
}

/** Many small pushes, one here and one there in turn. */
async function measureSmall(folder: string, ours: string, theirs: string) {
  const path = join(folder, 'small')
  await mkdir(path)
  await git(path, 'init', '--quiet')
  const here: number[] = []
  const there: number[] = []
  for (let count = 0; count < SMALL; count += 1) {
    await writeFile(join(path, 'file'), String(count))
    await git(path, 'add', '.')
    await git(path, 'commit', '--quiet', '-m', String(count))
    here.push(await timed(() => git(path, 'push', '--quiet', ours, 'HEAD:refs/heads/main')))
    there.push(await timed(() => git(path, 'push', '--quiet', theirs, 'HEAD:refs/heads/main')))
  }
  return [median(there) / median(here), median(here), median(there)] as const
}

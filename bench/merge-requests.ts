import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startChild, temporaryFolder } from './children.ts'
import { git, timed } from './git-client.ts'
import { atMost, type Effort, type Measure, median } from './measures.ts'

const TOKEN = 'glpat-the-token-of-the-bench-of-merge-requests'
const FILES = 1_000

/** How long it takes to open a merge request that changes many files: Git compares them, and the answer waits for it. */
export async function measureMergeRequests({ rounds }: Effort): Promise<Measure[]> {
  await using folder = await temporaryFolder()
  await using forgelet = await startChild<{ url: string }>('boot.js', [], {
    FORGELET_DATA: join(folder.path, 'data'),
    FORGELET_PORT: '0',
    FORGELET_ROOT_TOKEN: TOKEN,
  })
  const api = async (path: string, method: string, body: Readonly<Record<string, string>>) => {
    const answer = await fetch(`${forgelet.said.url}/api/v4${path}`, {
      method,
      headers: { 'private-token': TOKEN },
      body: new URLSearchParams(body),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${answer.status} from ${path}: ${text}`)
  }
  await api('/projects', 'POST', { name: 'large' })
  await pushBranches(folder.path, `${forgelet.said.url.replace('://', `://x:${TOKEN}@`)}/root/large.git`)
  const path = '/projects/root%2Flarge/merge_requests'
  const times: number[] = []
  for (let iid = 1; iid <= 5 * rounds; iid += 1) {
    const branches = { source_branch: 'wide', target_branch: 'main' }
    times.push(await timed(() => api(path, 'POST', { title: `Number ${iid}`, ...branches })))
    // Only one may be open at a time.
    await api(`${path}/${iid}`, 'PUT', { state_event: 'close' })
  }
  const ms = median(times)
  return [atMost(`a new merge request of ${FILES} files`, ms, 500, `${ms.toFixed(0)} ms`)]
}

async function pushBranches(folder: string, url: string): Promise<void> {
  const path = join(folder, 'wide')
  await mkdir(path)
  await git(path, 'init', '--quiet', '--initial-branch=main')
  const write = async (text: string) => {
    for (let file = 0; file < FILES; file += 1)
      await writeFile(join(path, `file-${file}`), `${text} ${file}\n`.repeat(100))
    await git(path, 'add', '.')
    await git(path, 'commit', '--quiet', '-m', text)
  }
  await write('before')
  await git(path, 'checkout', '--quiet', '-b', 'wide')
  await write('after')
  await git(path, 'push', '--quiet', url, 'main', 'wide')
}

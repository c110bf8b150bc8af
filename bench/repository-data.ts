import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { temporaryFolder } from './children.ts'
import { git } from './git-client.ts'
import type { Server } from './server.ts'

/** A repository that requests are measured with. */
export interface Repository {
  readonly project: number
  /** In the middle of its history. */
  readonly commit: string
  /** Changes 20 files by 125 KB. */
  readonly mergeRequest: number
}

const COMMITS = 300
const FILES = 200
const BRANCHES = 600
/** Files that the branch `wide` changes, and bytes that it adds to each. */
const WIDE = { files: 20, bytes: 6_200 }

const contentOf = (file: number, line = '') =>
  `File ${file} of the measurements\n${line}`.padEnd(2_800, 'text\n')

/** 300 commits, 200 files, 601 branches besides the default branch, and a merge request of 125 KB. */
export async function fillRepository(server: Server): Promise<Repository> {
  const { memberGroup } = server.said.world
  const { id, http_url_to_repo } = await server.ask('administrator', 'POST', '/projects', {
    name: 'repository',
    namespace_id: memberGroup,
  })
  await using folder = await temporaryFolder()
  await git(folder.path, 'init', '--quiet', '--bare')
  const child = spawn('git', ['fast-import', '--quiet'], {
    cwd: folder.path,
    stdio: ['pipe', 'ignore', 'inherit'],
  })
  child.stdin.end(history())
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`git fast-import ended with ${String(code)}`)
  const url = new URL(String(http_url_to_repo))
  const target = `${server.said.url.replace('://', `://x:${server.said.world.administrator.token}@`)}${url.pathname}`
  await git(folder.path, 'push', '--quiet', target, 'refs/heads/main')
  await git(folder.path, 'push', '--quiet', target, 'refs/heads/*')
  const { stdout } = await git(folder.path, 'rev-parse', `main~${COMMITS / 2}`)
  const { iid } = await server.ask('member', 'POST', `/projects/${Number(id)}/merge_requests`, {
    source_branch: 'wide',
    target_branch: 'main',
    title: 'Wide',
  })
  return { project: Number(id), commit: stdout.trim(), mergeRequest: Number(iid) }
}

/** As `git fast-import` reads it. */
function history(): string {
  const parts: string[] = []
  const commit = (
    branch: string,
    time: number,
    from: string,
    changes: readonly (readonly [number, string])[],
  ) => {
    parts.push(`commit refs/heads/${branch}\ncommitter a <a@example.com> ${1_700_000_000 + time} +0000\n`)
    parts.push(data(`Change ${time} on ${branch}`), from)
    for (const [file, content] of changes) parts.push(`M 100644 inline folder/file-${file}\n`, data(content))
  }
  const all = Array.from({ length: FILES }, (_, file) => file)
  commit(
    'main',
    0,
    '',
    all.map((file) => [file, contentOf(file)]),
  )
  for (let n = 1; n < COMMITS; n += 1)
    commit('main', n, '', [[n % FILES, contentOf(n % FILES, `Change ${n}\n`)]])
  const from = 'from refs/heads/main\n'
  for (let n = 1; n <= BRANCHES; n += 1) {
    commit(`branch-${n}`, COMMITS + n, from, [[n % FILES, contentOf(n % FILES, `Branch ${n}\n`)]])
  }
  const wide = all
    .slice(0, WIDE.files)
    .map((file) => [file, 'a line that the branch adds\n'.repeat(WIDE.bytes / 28)] as const)
  commit('wide', COMMITS, from, wide)
  return parts.join('')
}

const data = (text: string) => `data ${Buffer.byteLength(text)}\n${text}\n`

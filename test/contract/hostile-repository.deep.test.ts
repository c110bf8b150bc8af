import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { urlWith } from '#code/git-http/test-support.ts'
import { API } from '#platform/http/routing.ts'
import { peakOf, spentBy } from '#test/costs.ts'
import { GitClient } from '#test/git-client.ts'
import { giveHostile } from '#test/hostile-repository.ts'
import { MeasuredServer } from '#test/measured-server.ts'
import { openMergeRequest } from '#test/merge-requests.ts'
import { nameOf } from '#test/access/requests.ts'
import { type Actor, w } from '#test/world.ts'

// Every route that reads a repository is asked about one that was made to stop the server, while somebody else asks for
// something small again and again. The table of what each request cost is printed.

/** Milliseconds that an answer may take, and that somebody else may wait. A busy machine takes several times as long as an idle one. */
const LONGEST = 120_000
const WAIT = 1_000
/** Seconds of CPU of one request: of the server's own process, and of git. */
const OWN = 1.5
const GIT = 12

/** Streams take as long as they are; of them only what others notice counts. */
const isStream = (request: string): boolean => /\/raw|archive|raw_diffs|clone/.test(request)

/** Routes that read a repository, in the requests that cost most. MR, COMMIT, ZEROS and VERSION stand for ids. */
const requests: Readonly<Record<string, readonly string[]>> = {
  'GET /projects/:id/repository/tree': [
    'tree?ref=bomb&recursive=true&per_page=100',
    'tree?ref=deep&recursive=true&per_page=100',
    'tree?ref=renames&path=young&per_page=100',
  ],
  'GET /projects/:id/repository/blobs/:sha': ['blobs/ZEROS'],
  'GET /projects/:id/repository/blobs/:sha/raw': ['blobs/ZEROS/raw'],
  'GET /projects/:id/repository/archive': ['archive?sha=bomb', 'archive?sha=messages', 'archive?sha=zeros'],
  'GET /projects/:id/repository/archive.:format': ['archive.zip?sha=zeros', 'archive.tar?sha=deep'],
  'GET /projects/:id/repository/compare': [
    'compare?from=before&to=renames',
    'compare?from=main&to=messages',
    'compare?from=main&to=bomb&straight=true',
    'compare?from=main&to=zeros',
  ],
  'GET /projects/:id/repository/merge_base': [
    'merge_base?refs[]=messages&refs[]=renames',
    'merge_base?refs[]=messages&refs[]=messages~1',
  ],
  'GET /projects/:id/repository/contributors': ['contributors?ref=messages', 'contributors?ref=lines'],
  'GET /projects/:id/languages': ['../languages'],
  'GET /projects/:id/repository/files/:file_path': ['files/zeros?ref=zeros', 'files/old%2F7?ref=before'],
  'GET /projects/:id/repository/files/:file_path/raw': ['files/zeros/raw?ref=zeros'],
  'GET /projects/:id/repository/files/:file_path/blame': [
    'files/zeros/blame?ref=zeros',
    'files/counted/blame?ref=messages',
    'files/lines/blame?ref=lines',
  ],
  'GET /projects/:id/repository/commits': [
    'commits?ref_name=messages&per_page=100',
    'commits?ref_name=messages&per_page=100&with_stats=true&trailers=true',
    'commits?ref_name=messages&per_page=5',
    'commits?ref_name=renames&path=young/7&follow=true',
    'commits?ref_name=bomb&path=00/01/02/03/04/05/06&with_stats=true',
    'commits?ref_name=messages&author=nobody',
  ],
  'GET /projects/:id/repository/commits/:sha': [
    'commits/messages',
    'commits/renames',
    'commits/bomb',
    'commits/zeros',
  ],
  'GET /projects/:id/repository/commits/:sha/diff': [
    'commits/renames/diff?per_page=100',
    'commits/bomb/diff',
    'commits/zeros/diff',
    'commits/deep/diff',
    'commits/messages/diff',
  ],
  'GET /projects/:id/repository/commits/:sha/refs': ['commits/main/refs?per_page=100'],
  'GET /projects/:id/repository/commits/:sha/sequence': ['commits/messages/sequence'],
  'GET /projects/:id/repository/commits/:sha/signature': ['commits/messages/signature'],
  'GET /projects/:id/repository/commits/:sha/merge_requests': ['commits/COMMIT/merge_requests'],
  'GET /projects/:id/repository/commits/:sha/comments': ['commits/messages/comments'],
  'GET /projects/:id/repository/commits/:sha/statuses': ['commits/messages/statuses'],
  'GET /projects/:id/repository/commits/:sha/discussions': ['commits/messages/discussions'],
  'GET /projects/:id/repository/branches': [
    'branches?per_page=100',
    'branches?per_page=100&sort=updated_desc',
    `branches?per_page=100&regex=${encodeURIComponent('(?:(?:a?m?){20}){9}[^a0-9]\\b')}`,
    'branches?per_page=5&search=xxx',
  ],
  'GET /projects/:id/repository/branches/:branch': ['branches/messages'],
  'GET /projects/:id/repository/tags': [
    'tags?per_page=100',
    'tags?per_page=100&order_by=version',
    'tags?search=message',
  ],
  'GET /projects/:id/repository/tags/:tag_name': ['tags/message'],
  'GET /projects/:id/repository/tags/:tag_name/signature': ['tags/message/signature'],
  'GET /projects/:id/merge_requests/:merge_request_iid': [
    '../merge_requests/MR?include_diverged_commits_count=true',
  ],
  'GET /projects/:id/merge_requests/:merge_request_iid/merge_ref': ['../merge_requests/MR/merge_ref'],
  'GET /projects/:id/merge_requests/:merge_request_iid/commits': [
    '../merge_requests/MR/commits?per_page=100',
  ],
  'GET /projects/:id/merge_requests/:merge_request_iid/diffs': ['../merge_requests/MR/diffs?per_page=100'],
  'GET /projects/:id/merge_requests/:merge_request_iid/changes': [
    '../merge_requests/MR/changes',
    '../merge_requests/MR/changes?access_raw_diffs=true',
  ],
  'GET /projects/:id/merge_requests/:merge_request_iid/raw_diffs': ['../merge_requests/MR/raw_diffs'],
  'GET /projects/:id/merge_requests/:merge_request_iid/versions': ['../merge_requests/MR/versions'],
  'GET /projects/:id/merge_requests/:merge_request_iid/versions/:version_id': [
    '../merge_requests/MR/versions/VERSION',
  ],
}

/** Routes whose names look alike and that read rows of the database alone. */
const rowsAlone = [
  /\/discussions\/:discussion_id/,
  /\/merge_requests\/:merge_request_iid\/(?!commits|diffs|changes|raw_diffs|versions|merge_ref)/,
  /\/repository\/changelog/,
]

const ofRepositories =
  /^GET \/projects\/:id\/(?:repository\/|languages$|merge_requests\/:merge_request_iid(?:\/|$))/

/** A line of the table: what a request came to. */
interface Cost {
  readonly request: string
  readonly status: number
  readonly seconds: string
  readonly server: string
  readonly git: string
  readonly MB: number
  readonly 'others waited (ms)': number
  /** The longest time in which this process did not get its turn either: a busy machine. */
  readonly 'stood still (ms)': number
}

const costs: Cost[] = []
let server: MeasuredServer
let client: GitClient
let project: Awaited<ReturnType<typeof w.project>>
let stranger: Actor
const ids: Record<string, string> = {}

beforeAll(async () => {
  project = await w.project({ visibility: 'public' })
  const repository = await giveHostile(project, w)
  const id = async (name: string) => (await repository.git.text(repository, ['rev-parse', name])).trim()
  ids['ZEROS'] = await id('refs/heads/zeros:zeros')
  ids['COMMIT'] = await id('refs/heads/messages')
  stranger = await w.user()
  server = await MeasuredServer.start(w)
  client = await GitClient.open()
}, 300_000)

afterAll(async () => {
  console.table(costs)
  await server[Symbol.asyncDispose]()
  await client[Symbol.asyncDispose]()
})

/** Does something on the server, while somebody asks who they are every 50 ms; writes down what it cost. */
async function measured(request: string, ask: () => Promise<number>): Promise<Cost> {
  const over = new AbortController()
  const waits: number[] = []
  const others = (async () => {
    while (!over.signal.aborted) {
      const began = performance.now()
      const { status } = await fetch(`${server.url}${API}/user`, { headers: stranger.headers })
      if (status !== 200) throw new Error(`somebody else was answered ${status}`)
      waits.push(performance.now() - began)
      await pause(50)
    }
  })()
  const delays = monitorEventLoopDelay({ resolution: 10 })
  delays.enable()
  const peak = peakOf(server.pid, over.signal)
  const before = await spentBy(server.pid)
  const began = performance.now()
  const status = await ask()
  const seconds = (performance.now() - began) / 1_000
  const after = await spentBy(server.pid)
  over.abort()
  delays.disable()
  await others
  const cost = {
    request,
    status,
    seconds: seconds.toFixed(1),
    server: (after.own - before.own).toFixed(2),
    git: (after.below - before.below).toFixed(2),
    MB: Math.round((await peak) / 1e6),
    'others waited (ms)': Math.round(Math.max(...waits)),
    'stood still (ms)': Math.round(delays.max / 1e6),
  }
  costs.push(cost)
  return cost
}

/** The status of a request, once its answer has been read to its end. */
async function asked(path: string): Promise<number> {
  const url = new URL(`projects/${project.id}/repository/${path}`, `${server.url}${API}/`)
  const answer = await fetch(url, { headers: stranger.headers, signal: AbortSignal.timeout(LONGEST) })
  for await (const _ of answer.body ?? []);
  return answer.status
}

/** What a request costs that it must not. */
function excessOf(cost: Cost): Partial<Cost> {
  const { request, status, seconds, server, git } = cost
  const most: Partial<Record<keyof Cost, number>> = {
    status: 499,
    git: GIT,
    'others waited (ms)': WAIT + 4 * cost['stood still (ms)'],
    // Those who ask again and again cost something, too.
    ...(!isStream(request) && { server: OWN + Number(seconds) * 0.05 }),
  }
  const found = { status, server, git, 'others waited (ms)': cost['others waited (ms)'] }
  return Object.fromEntries(
    Object.entries(found).filter(([name, value]) => Number(value) > (most[name as keyof Cost] ?? Infinity)),
  )
}

const filled = (path: string) => path.replace(/MR|COMMIT|ZEROS|VERSION/, (name) => ids[name] ?? name)

test('no route that reads a repository is forgotten', () => {
  const names = w.running.app.declaredRoutes.map(nameOf).filter((name) => ofRepositories.test(name))
  const reading = names.filter((name) => !rowsAlone.some((one) => one.test(name)))
  expect(Object.keys(requests).toSorted()).toEqual(reading.toSorted())
})

describe('by the API', () => {
  const all = Object.values(requests).flat()
  test.each(all.filter((path) => !path.includes('MR')))('%s', { timeout: 2 * LONGEST }, async (path) => {
    expect(excessOf(await measured(path, () => asked(filled(path))))).toEqual({})
  })

  const ofMergeRequests = all.filter((path) => path.includes('MR'))
  const pairs = [
    ['renames', 'before'],
    ['messages', 'main'],
  ] as const
  test.each(pairs)(
    'a merge request of %s into %s',
    { timeout: 600_000 },
    async (source_branch, target_branch) => {
      const { body, path } = await openMergeRequest(project, project.maintainer, {
        source_branch,
        target_branch,
      })
      await expect
        .poll(async () => (await project.maintainer.get(path)).body.merge_status, { timeout: LONGEST })
        .toMatch(/^(?:can|cannot)_be_merged$/)
      ids['MR'] = String(body.iid)
      ids['VERSION'] = String((await project.maintainer.get(`${path}/versions`)).body[0].id)
      for (const one of ofMergeRequests) {
        expect(
          excessOf(await measured(`${source_branch}: ${one.slice(3)}`, () => asked(filled(filled(one))))),
        ).toEqual({})
      }
    },
  )

  test('a cherry-pick, a revert and a merge', { timeout: 600_000 }, async () => {
    const { maintainer } = project
    const post = (path: string, json: object) => async () => {
      const url = `${server.url}${API}/projects/${project.id}/repository/${path}`
      const headers = { ...maintainer.headers, 'content-type': 'application/json' }
      return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(json) })).status
    }
    for (const [path, json] of [
      ['commits/renames/cherry_pick', { branch: 'before' }],
      ['commits/renames/revert', { branch: 'renames' }],
      ['commits/messages/revert', { branch: 'messages' }],
      ['branches', { branch: 'new', ref: 'messages' }],
      ['tags', { tag_name: 'new', ref: 'renames', message: 'x' }],
    ] as const) {
      expect(excessOf(await measured(`POST ${path}`, post(path, json)))).toEqual({})
    }
  })
})

describe('by git', () => {
  const url = () =>
    urlWith(project.maintainer.token, project.fullPath).replace(w.url.slice(7), server.url.slice(7))
  const commands: readonly (readonly [string, () => readonly string[]])[] = [
    ['ls-remote', () => ['ls-remote', '--quiet', url()]],
    [
      'clone of one branch without files',
      () => [
        'clone',
        '--quiet',
        '--bare',
        '--single-branch',
        '--branch=main',
        '--filter=blob:none',
        url(),
        'one',
      ],
    ],
    [
      'clone of long messages',
      () => ['clone', '--quiet', '--bare', '--single-branch', '--branch=messages', url(), 'two'],
    ],
    [
      'clone of a folder of folders, without files',
      () => [
        'clone',
        '--quiet',
        '--bare',
        '--single-branch',
        '--branch=bomb',
        '--filter=tree:0',
        url(),
        'three',
      ],
    ],
  ]
  test.each(commands)('%s', { timeout: 2 * LONGEST }, async (name, args) => {
    const clone = async () => ((await client.try(args())).code === 0 ? 200 : 500)
    expect(excessOf(await measured(name, clone))).toEqual({})
  })
})

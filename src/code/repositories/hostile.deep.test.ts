import { access, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { summarize } from '#test/repositories.ts'
import { type Actor, w } from '#test/world.ts'
import type { StoredRepository } from './rows.ts'

const hostileNames = [
  '..',
  '.',
  '.git',
  '.GIT',
  'git~1',
  'CON',
  'aux.txt',
  'a:b',
  '--output=pwned',
  '-n',
  '--help',
  ':(glob)**',
  ':!x',
  '$(touch pwned)',
  '`touch pwned`',
  'a;touch pwned',
  'a\nb',
  'a\rb',
  '\x1b[2J',
  '%2e%2e',
  '\\..\\x',
  'x'.repeat(3_000),
]

let repository: StoredRepository
let id: number
let reporter: Actor
beforeAll(async () => {
  const project = await w.project()
  ;({ id, reporter } = project)
  repository = await w.running.services.repositories.ensure({ kind: 'project', project: id })
  const blob = await write('blob', 'x\n')
  const escape = await write('blob', '../../../../../../etc/passwd')
  const attributes = '* filter=evil diff=evil textconv=evil export-subst working-tree-encoding=utf-99\n'
  const below = await tree([['100644', '..', blob]])
  const root = await tree([
    ...hostileNames.map((name) => ['100644', name, blob] as const),
    ['120000', 'link', escape],
    ['40000', 'below', below],
    ['160000', 'module', '1'.repeat(40)],
    ['100644', '.gitattributes', await write('blob', attributes)],
    [
      '100644',
      '.gitmodules',
      await write('blob', '[submodule "module"]\n\tpath = ../x\n\turl = ext::sh -c touch% pwned\n'),
    ],
    ['100644', '.mailmap', await write('blob', 'Eve <eve@example.com> <\n<<<>>>\n')],
  ])
  const commit = await write(
    'commit',
    `tree ${root}\nauthor x\ncommitter <> -1 +9999\nencoding nonsense\n\n\0`,
  )
  await reference('refs/heads/main', commit)
  await reference('refs/heads/bomb', await write('commit', `tree ${await bomb()}\n\n`))
  // Hooks and configuration that somebody brought in somehow.
  const hook = '#!/bin/sh\ntouch pwned\n'
  await mkdir(join(repository.folder, 'hooks'), { recursive: true })
  await writeFile(join(repository.folder, 'hooks/post-checkout'), hook, { mode: 0o755 })
  repository = await summarize(repository)
})

async function write(type: string, content: string | Buffer): Promise<string> {
  const { git } = repository
  const args = ['hash-object', '-t', type, '-w', '--stdin', '--literally']
  return (await git.text(repository, args, { input: content })).trim()
}

/** Not sorted, and with names that git would not write. */
function tree(entries: readonly (readonly [mode: string, name: string, id: string])[]): Promise<string> {
  const lines = entries.map(([mode, name, of]) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(of, 'hex')]),
  )
  return write('tree', Buffer.concat(lines))
}

/** A folder of ten folders of ten folders …: ten thousand million files in ten small objects. */
async function bomb(): Promise<string> {
  let inner = await tree([['100644', 'f', await write('blob', 'boom\n')]])
  for (let level = 0; level < 10; level += 1) {
    inner = await tree(Array.from({ length: 10 }, (_, index) => ['40000', `d${index}`, inner] as const))
  }
  return inner
}

const reference = (name: string, commit: string) =>
  repository.git.capture(repository, ['update-ref', name, commit])

/** The status, whatever the answer is: its bytes are not waited for. */
async function statusOf(path: string): Promise<number> {
  const left = new AbortController()
  const url = `${w.url}/api/v4/projects/${id}/${path}`
  const answer = await fetch(url, { headers: reporter.headers, signal: left.signal })
  left.abort()
  return answer.status
}

const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

describe('a hostile repository', () => {
  test('can be listed', async () => {
    for (const query of ['', 'recursive=true', 'pagination=keyset&recursive=true']) {
      const { status, body } = await reporter.get(`/projects/${id}/repository/tree?per_page=100&${query}`)
      const names = body.map((entry: { name: string }) => entry.name)
      expect([query, status]).toEqual([query, 200])
      expect(names).toEqual(expect.arrayContaining(hostileNames))
    }
  })

  test('has no path that leads anywhere else', async () => {
    for (const name of [
      ...hostileNames,
      '../../etc/passwd',
      '/etc/passwd',
      'link/passwd',
      'below/..',
      'objects/../config',
    ]) {
      const path = encodeURIComponent(name)
      for (const end of ['?ref=main', '/raw', '/blame?ref=main']) {
        const { status, text } = await reporter.get(`/projects/${id}/repository/files/${path}${end}`)
        expect([name.slice(0, 20), end, status < 500, text.includes('root:')]).toEqual([
          name.slice(0, 20),
          end,
          true,
          false,
        ])
      }
    }
    expect((await reporter.get(`/projects/${id}/repository/files/link/raw`)).text).toBe(
      '../../../../../../etc/passwd',
    )
  })

  const everywhere = [
    'repository/tree?path=NAME',
    'repository/tree?ref=NAME',
    'repository/tree?pagination=keyset&page_token=NAME',
    'repository/blobs/NAME',
    'repository/archive?sha=NAME',
    'repository/archive.tar?path=NAME',
    'repository/archive.zip?exclude_paths=NAME',
    'repository/compare?from=NAME&to=main',
    'repository/compare?from=main&to=NAME',
    'repository/merge_base?refs[]=NAME&refs[]=main',
    'repository/contributors?ref=NAME',
    'repository/commits?ref_name=NAME',
    'repository/commits?path=NAME&follow=true',
    'repository/commits?author=NAME',
    'repository/commits?since=NAME',
    'repository/commits/NAME',
    'repository/commits/NAME/diff',
    'repository/commits/NAME/refs',
    'repository/files/README?ref=NAME',
    'repository/files/NAME/raw?ref=NAME',
  ]
  const alsoReferences = [
    'main^{/x}',
    'main@{upstream}',
    '@{-1}',
    ':0:a',
    'main:',
    '^main',
    'main..',
    '..',
    '...',
    '-',
    '@',
  ]
  test.each(everywhere)('does no harm in %s', async (path) => {
    for (const name of [...hostileNames, ...alsoReferences]) {
      const url = path.replaceAll('NAME', encodeURIComponent(name))
      const status = await statusOf(url)
      expect([url.slice(0, 200), status < 500]).toEqual([url.slice(0, 200), true])
    }
    for (const folder of [repository.folder, process.cwd(), '/']) {
      expect(await isThere(join(folder, 'pwned'))).toBe(false)
    }
  })

  test('is not archived', async () => {
    for (const format of ['', '.zip']) {
      const { status, body } = await reporter.get(`/projects/${id}/repository/archive${format}`)
      expect([status, body.message]).toEqual([
        422,
        '422 Unprocessable Entity - git makes no archive of a commit like this',
      ])
    }
  })

  const reads = [
    'repository/contributors',
    'repository/commits?with_stats=true&trailers=true',
    'repository/commits/main',
    'repository/commits/main/diff',
    'repository/commits/main/refs',
    'languages',
  ]
  test.each(reads)('can be read by %s', async (path) => {
    expect(await statusOf(path)).toBe(200)
  })

  test('shows commits that no program wrote', async () => {
    const { body } = await reporter.get(`/projects/${id}/repository/commits/main`)
    expect(body).toMatchObject({ title: '', author_name: 'x', committer_email: '' })
    expect(Number.isNaN(Date.parse(body.created_at))).toBe(false)
  })
})

describe('a folder that holds more than any program can list', () => {
  const bounded = [
    'repository/tree?ref=bomb',
    'repository/tree?ref=bomb&recursive=true',
    'repository/tree?ref=bomb&recursive=true&pagination=keyset',
    'repository/tree?ref=bomb&path=d0/d1/d2&recursive=true',
    'repository/commits?ref_name=bomb',
    'repository/commits?ref_name=bomb&with_stats=true',
    'repository/commits/bomb',
  ]
  test.each(bounded)('%s answers at once', async (path) => {
    const began = performance.now()
    expect(await statusOf(path)).toBe(200)
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  const unbounded = [
    'repository/archive?sha=bomb',
    'repository/compare?from=bomb&to=main&straight=true',
    'repository/commits/bomb/diff',
  ]
  test.each(unbounded)(
    '%s is refused before it takes all memory',
    async (path) => {
      const { status, body } = await reporter.get(`/projects/${id}/${path}`)
      expect([status, body.message]).toEqual([
        413,
        '413 Request Entity Too Large - this takes more memory or time than a request may use',
      ])
    },
    60_000,
  )

  test('a page after what is not there is refused', async () => {
    const path = `repository/tree?ref=bomb&recursive=true&pagination=keyset&page_token=${'1'.repeat(40)}`
    expect(await statusOf(path)).toBe(400)
  })
})

import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { changeSettings } from '#platform/settings/change-settings.ts'
import { commits, importInto } from '#test/repositories.ts'
import { w } from '#test/world.ts'
import { readPipeline } from './read-pipeline.ts'
import type { PipelineToRead, ReadPipeline } from './pipeline-reading.ts'

interface Wishes extends Partial<PipelineToRead> {
  /** By default the file of the commit. */
  readonly configPath?: string
  readonly sha?: string
}

/** A project whose main branch has these files, and what reads its configuration for its developer. */
async function projectWithFiles(files: Readonly<Record<string, string>>, group = {}) {
  const project = await w.project(group)
  const repository = await importInto(project, commits({ files: { README: 'x', ...files } }))
  const { git } = repository
  const head = async (ref = 'main') => (await git.text(repository, ['rev-parse', ref])).trim()
  const sha = await head()
  const read = ({ configPath, sha: at = sha, ...wishes }: Wishes = {}): Promise<ReadPipeline> =>
    readPipeline(w.running.services, {
      project: { id: project.id, fullPath: project.fullPath, configPath: configPath ?? null },
      tree: { repository, sha: at },
      userId: project.developer.id,
      ref: 'main',
      isTag: false,
      source: 'push',
      compareTo: null,
      predefined: new Map(),
      kept: new Map(),
      given: new Map(),
      inputs: {},
      ...wishes,
    })
  return {
    ...project,
    repository,
    head,
    sha,
    read,
    names: async (wishes?: Wishes) => {
      const { errors, chosen } = await read(wishes)
      expect(errors).toEqual([])
      return chosen?.jobs.map(({ name }) => name)
    },
    error: async (wishes?: Wishes) => (await read(wishes)).errors.map(({ text }) => text).join('; '),
  }
}

/** Which local servers may be asked. */
async function allow(servers: string[]): Promise<void> {
  await w.write((tx) => changeSettings(tx, { outbound_local_requests_whitelist: servers }))
  await w.running.services.settingsView.reload()
}

const job = (name: string, more = '') => `${name}: { script: x${more} }\n`

describe('the configuration', () => {
  test('is the file of the commit, or the one that the project names', async () => {
    const p = await projectWithFiles({ '.gitlab-ci.yml': job('usual'), 'ci/own.yml': job('own') })
    expect(await p.names()).toEqual(['usual'])
    expect(await p.names({ configPath: '/ci/own.yml' })).toEqual(['own'])
    expect(await p.names({ content: job('given') })).toEqual(['given'])
    for (const configPath of ['none.yml', 'ci', '../x.yml'])
      expect(await p.read({ configPath })).toMatchObject({ isThere: false, errors: [] })
  })

  test('may be that of another project that the person may read', async () => {
    const other = await projectWithFiles({ 'ci.yml': job('there') }, { visibility: 'private' })
    const p = await projectWithFiles({})
    const at = `ci.yml@${other.fullPath}`
    expect(await p.names({ configPath: at, userId: other.reporter.id })).toEqual(['there'])
    expect(await p.names({ configPath: `${at}:main`, userId: other.reporter.id })).toEqual(['there'])
    expect(await p.error({ configPath: `${at}:none`, userId: other.reporter.id })).toBe(
      `Project \`${other.fullPath}\` reference \`none\` does not exist!`,
    )
    const refused = (path: string) =>
      `Project \`${path}\` not found or access denied! Make sure any includes in the pipeline configuration are correctly defined.`
    expect(await p.error({ configPath: at })).toBe(refused(other.fullPath))
    expect(await p.error({ configPath: 'ci.yml@no/where' })).toBe(refused('no/where'))
    expect(await p.error({ configPath: `ci.yml@${other.id}` })).toBe(refused(String(other.id)))
  })

  test('gets inputs also from elsewhere', async () => {
    const text = 'spec: { inputs: { name: } }\n---\n$[[ inputs.name ]]: { script: x }\n'
    const other = await projectWithFiles({ 'ci.yml': text }, { visibility: 'public' })
    const inputs = { name: 'called' }
    expect(await other.names({ configPath: 'ci.yml', inputs })).toEqual(['called'])
    expect(await other.names({ configPath: `ci.yml@${other.fullPath}`, inputs })).toEqual(['called'])
  })
})

describe('include', () => {
  test('local: files of the commit, also by patterns', async () => {
    const p = await projectWithFiles({
      '.gitlab-ci.yml': 'include: [one.yml, { local: /ci/*.yml }, "deep/**.yml", "none/*.yml"]\n',
      'one.yml': job('one'),
      'ci/a.yml': job('a'),
      'ci/b.yml': job('b'),
      'ci/c.txt': 'nothing',
      'ci/below/d.yml': job('d'),
      'deep/er/e.yml': job('e'),
      'one/self.yml': 'include: one/self.yml',
      'empty.yml': '',
    })
    expect(await p.names()).toEqual(['one', 'a', 'b', 'e'])
    const { includes } = await p.read()
    const site = w.running.services.site()
    expect(includes[1]).toEqual({
      type: 'local',
      location: 'ci/a.yml',
      blob: `${site}/${p.fullPath}/-/blob/${p.sha}/ci/a.yml`,
      raw: `${site}/${p.fullPath}/-/raw/${p.sha}/ci/a.yml`,
      extra: {},
      contextProject: p.fullPath,
      contextSha: p.sha,
    })
    expect(await p.error({ content: 'include: none.yml' })).toBe('Local file `none.yml` does not exist!')
    expect(await p.error({ content: 'include: ../x.yml' })).toBe('Local file `../x.yml` does not exist!')
    expect(await p.error({ content: 'include: empty.yml' })).toBe('Local file `empty.yml` is empty!')
    expect(await p.error({ configPath: 'one/self.yml' })).toMatch(/Maximum of 150 nested includes/)
  })

  test('project: with the rights of the person, and its own local files', async () => {
    const other = await projectWithFiles(
      { 'a.yml': 'include: b.yml\n', 'b.yml': job('b') },
      { visibility: 'private' },
    )
    const p = await projectWithFiles({})
    const content = `include: { project: ${other.fullPath}, file: [/a.yml], ref: main }\n`
    expect(await p.names({ content, userId: other.reporter.id })).toEqual(['b'])
    const { includes } = await p.read({ content, userId: other.reporter.id })
    expect(includes.map(({ type, location, extra }) => ({ type, location, extra }))).toEqual([
      { type: 'file', location: '/a.yml', extra: { project: other.fullPath, ref: 'main' } },
      { type: 'local', location: 'b.yml', extra: {} },
    ])
    expect(await p.error({ content })).toContain('not found or access denied')
    await other.owner.put(`/projects/${other.id}`, {
      repository_access_level: 'disabled',
      merge_requests_access_level: 'disabled',
      builds_access_level: 'disabled',
    })
    expect(await p.error({ content, userId: other.reporter.id })).toContain('not found or access denied')
  })

  test('remote: a file of another server, which reads nothing for the person', async () => {
    const secret = await projectWithFiles({ 's.yml': job('s') }, { visibility: 'private' })
    const server = createServer((req, res) => {
      if (req.url === '/ci.yml') res.end(job('remote'))
      else if (req.url === '/local.yml') res.end('include: s.yml')
      else if (req.url === '/project.yml') res.end(`include: { project: ${secret.fullPath}, file: s.yml }`)
      else if (req.url === '/large.yml') res.end('#'.repeat(3_000_000))
      else res.writeHead(404).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const url = `http://127.0.0.1:${port}`
    const include = (path: string) => ({ content: `include: ${url}${path}`, userId: secret.reporter.id })
    try {
      const p = await projectWithFiles({})
      expect(await p.error(include('/ci.yml'))).toContain('could not be fetched because of')
      await allow([`127.0.0.1:${port}`])
      expect(await p.names(include('/ci.yml'))).toEqual(['remote'])
      expect(await p.names({ configPath: `${url}/ci.yml` })).toEqual(['remote'])
      expect(await p.error(include('/none.yml'))).toBe(
        `Remote file \`${url}/none.yml\` could not be fetched because of HTTP code \`404\` error!`,
      )
      expect(await p.error(include('/large.yml'))).toContain('larger than')
      expect(await p.error(include('/local.yml'))).toBe('Local file `s.yml` does not have project!')
      expect(await p.error(include('/project.yml'))).toContain('not found or access denied')
    } finally {
      await allow([])
      server.close()
    }
  })

  test('template: some that come with the program', async () => {
    const p = await projectWithFiles({})
    const template = (name: string) => ({
      content: `include: { template: ${name}.gitlab-ci.yml }\n${job('own')}`,
    })
    expect(await p.names(template('Bash'))).toEqual(['build', 'test', 'deploy', 'own'])
    for (const name of ['Nodejs', 'Python', 'Docker', 'Workflows/Branch-Pipelines'])
      expect(await p.error(template(name))).toBe('')
    const predefined = new Map([['CI_COMMIT_BRANCH', { value: 'topic', raw: true }]])
    const forRequests = await p.read({ ...template('Workflows/MergeRequest-Pipelines'), predefined })
    expect(forRequests.chosen?.filtered).toBe(true)
    expect(await p.error(template('constructor'))).toBe(
      'Included file `constructor.gitlab-ci.yml` is empty or does not exist!',
    )
  })
})

describe('conditions', () => {
  const changes = (more = '') => `
docs: { script: x, rules: [{ changes: { paths: ["docs/**/*"]${more} } }] }
code: { script: x, rules: [{ changes: { paths: [src/*.js]${more} } }] }
`
  test('changes: what the commits differ in', async () => {
    const p = await projectWithFiles({ 'docs/a/b.md': '1', 'src/a.js': '1' })
    const change = commits({ files: { 'src/a.js': '2' } })
    await importInto(
      p,
      Buffer.concat([Buffer.from('reset refs/heads/main\nfrom refs/heads/main^0\n\n'), change]),
    )
    const sha = await p.head()
    const asked = { sha, content: changes() }
    expect(await p.names(asked)).toEqual(['docs', 'code'])
    expect(await p.names({ ...asked, compareTo: p.sha })).toEqual(['code'])
    expect(await p.names({ ...asked, compareTo: '1'.repeat(40) })).toEqual(['docs', 'code'])
    expect(await p.names({ sha, content: changes(`, compare_to: ${p.sha}`) })).toEqual(['code'])
    expect(await p.error({ sha, content: changes(', compare_to: none') })).toBe(
      'Failed to parse rule: rules:changes:compare_to is not a valid ref',
    )
  })

  test('exists: what the commit has, or that of another project', async () => {
    const p = await projectWithFiles({ 'docs/a/b.md': '1' })
    const exists = (what: string) => ({
      content: `there: { script: x, rules: [{ exists: ${what} }] }\n${job('always')}`,
    })
    expect(await p.names(exists('["**/*.md"]'))).toEqual(['there', 'always'])
    expect(await p.names(exists('[docs/*.md]'))).toEqual(['always'])
    const other = await projectWithFiles({ there: 'x' }, { visibility: 'private' })
    const there = exists(`{ paths: [there], project: ${other.fullPath} }`)
    expect(await p.names({ ...there, userId: other.reporter.id })).toEqual(['there', 'always'])
    expect(await p.error(there)).toBe(
      `rules:exists:project \`${other.fullPath}\` is not a valid project path`,
    )
    expect(await p.error(exists('{ paths: [docs/*], ref: none }'))).toContain('is not a valid ref')
  })
})

test('many jobs cost the thread of the server little', async () => {
  const names = Array.from({ length: 1_000 }, (_, at) => `job-${at}`)
  const content = names
    .map((name) => `${name}:\n  stage: test\n  script:\n    - ${'x'.repeat(140)}\n    - ${name}\n`)
    .join('')
  const variables = Array.from({ length: 50 }, (_, at) => `  V${at}: value of ${at}\n`).join('')
  const p = await projectWithFiles({})
  const wishes = { content: `variables:\n${variables}${content}` }
  expect(wishes.content.length).toBeGreaterThan(190_000)
  await p.read(wishes)
  const before = performance.eventLoopUtilization()
  const { chosen } = await p.read(wishes)
  const { active } = performance.eventLoopUtilization(before)
  expect(chosen?.jobs).toHaveLength(1_000)
  expect(chosen?.jobs[999]?.variables[49]).toEqual({ key: 'V49', value: 'value of 49', raw: false })
  expect(active).toBeLessThan(100)
})

import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { commits, type ImportedCommit, importInto } from '#test/repositories.ts'
import { w } from '#test/world.ts'

const CONFIG = '.gitlab/changelog_config.yml'

/** A project with a first commit that is tagged `v0.9.0`, and what follows it. */
async function projectWith(
  after: readonly ImportedCommit[],
  { config, tag = 'v0.9.0' }: { config?: string; tag?: string } = {},
) {
  const project = await w.project()
  const files = { 'a.txt': 'a', ...(config !== undefined && { [CONFIG]: config }) }
  const begin = commits({ message: 'Begin\n\nChangelog: added\n', files })
  const tagged = Buffer.from(`reset refs/tags/${tag}\nfrom refs/heads/main\n\n`)
  const repository = await importInto(project, Buffer.concat([begin, tagged, commits(...after)]))
  const path = `/projects/${project.id}/repository/changelog`
  const notes = async (query = 'version=1.0.0&date=2026-01-05', who = project.reporter) => {
    const { status, body } = await who.get(`${path}?${query}`)
    expect([status, body]).toEqual([200, { notes: expect.any(String) }])
    return body.notes
  }
  const failure = async (query = 'version=1.0.0') => {
    const { status, body } = await project.reporter.get(`${path}?${query}`)
    return [status, body.message]
  }
  const ids = (await repository.git.text(repository, ['log', '--format=%H', 'main'])).trim().split('\n')
  return { ...project, repository, path, notes, failure, ids, url: `${w.url}/${project.fullPath}/-` }
}

const feature = (title: string, category = 'feature', more = '') => ({
  message: `${title}\n\nBody.\n\nChangelog: ${category}\n${more}`,
})

describe('GET /projects/:id/repository/changelog', () => {
  test('tells of the commits with a trailer since the last version, by what they are about', async () => {
    const { notes, ids, url } = await projectWith([
      feature('One'),
      { message: 'Nothing to tell' },
      feature('Two'),
      feature('Mend', 'fixed'),
    ])
    const [mend, two, , one] = ids
    expect(await notes()).toBe(
      [
        '## 1.0.0 (2026-01-05)',
        '',
        '### fixed (1 change)',
        '',
        `- [Mend](${url}/commit/${mend})`,
        '',
        '### feature (2 changes)',
        '',
        `- [Two](${url}/commit/${two})`,
        `- [One](${url}/commit/${one})`,
        '',
      ].join('\n'),
    )
    expect(await notes(`version=v1.0.0&date=2026-01-05&to=${one}`)).toContain('(1 change)')
    expect(await notes(`version=1.0.0&date=2026-01-05&from=${one}`)).not.toContain('One')
    expect(await notes(`version=1.0.0&date=2026-01-05&from=${mend}`)).toBe(
      '## 1.0.0 (2026-01-05)\n\nNo changes.\n',
    )
    expect(await notes('version=1.0.0&trailer=Type')).toMatch(
      /^## 1\.0\.0 \(\d{4}-\d\d-\d\d\)\n\nNo changes\.\n$/,
    )
  })

  test('begins at the tag of the last stable version before', async () => {
    const { id, admin, notes, ids, failure } = await projectWith([
      feature('One'),
      feature('Two'),
      feature('Three'),
    ])
    const tag = (tag_name: string, ref: string | undefined) =>
      admin.post(`/projects/${id}/repository/tags`, { tag_name, ref })
    await tag('1.2.0', ids[2])
    await tag('1.10.0', ids[1])
    await tag('2.0.0-rc1', ids[0])
    await tag('elsewhere', ids[0])
    const titles = async (version: string) =>
      [...(await notes(`version=${version}`)).matchAll(/^- \[(\w+)/gm)].map(([, title]) => title)
    expect(await titles('1.2.0')).toEqual(['Three', 'Two', 'One'])
    expect(await titles('1.3.0')).toEqual(['Three', 'Two'])
    expect(await titles('2.0.0')).toEqual(['Three'])
    expect(await titles('1.2.0-rc1')).toEqual(['Three', 'Two', 'One'])
    expect(await failure('version=0.9.0')).toEqual([
      422,
      'Failed to generate the changelog: The commit start range is unspecified, and no previous tag could be found to use instead',
    ])
  })

  test('leaves out what was reverted meanwhile', async () => {
    const project = await projectWith([feature('Good'), feature('Bad'), feature('Worse')])
    const [worse, bad] = project.ids
    await importInto(
      project,
      Buffer.concat([
        Buffer.from('reset refs/heads/main\nfrom refs/heads/main^0\n\n'),
        commits(
          { message: `Revert "Bad"\n\nThis reverts commit ${bad}.` },
          feature('Undo', 'fixed', `\nThis reverts commit ${worse}.\n\nChangelog: fixed\n`),
        ),
      ]),
    )
    const notes = await project.notes()
    for (const title of ['Good', 'Undo']) expect(notes).toContain(`[${title}]`)
    for (const title of ['Bad', 'Worse']) expect(notes).not.toContain(`[${title}]`)
  })

  test('names contributors and merge requests, to those who may read them', async () => {
    const guest = await w.user()
    const { email } = (await guest.get('/user')).body
    const p = await projectWith([{ message: 'Else' }])
    const author = `Contributor <${email.toUpperCase()}>`
    await importInto(
      p,
      Buffer.concat([
        Buffer.from('reset refs/heads/topic\nfrom refs/heads/main^0\n\n'),
        commits(
          { branch: 'topic', author, ...feature('Add it'), files: { b: 'b' } },
          { branch: 'topic', message: 'x' },
        ),
        Buffer.from('reset refs/heads/main\nfrom refs/heads/main^0\n\n'),
        commits(feature('Directly'), { message: 'y', files: { c: 'c' } }),
      ]),
    )
    const { body: request } = await p.maintainer.post(`/projects/${p.id}/merge_requests`, {
      source_branch: 'topic',
      target_branch: 'main',
      title: 'Topic',
    })
    const merged = await p.maintainer.put(`/projects/${p.id}/merge_requests/${request.iid}/merge`)
    expect(merged.status).toBe(200)
    const reference = `by @${guest.username} ([merge request](${p.url}/merge_requests/${request.iid}))`
    const notes = await p.notes()
    expect(notes).toMatch(/- \[Directly\]\(\S+\)\n/)
    expect(notes).toContain(` ${reference}\n`)
    await w.member(p.namespaceId, guest, 20)
    expect(await p.notes()).not.toContain('by @')
    await p.owner.put(`/projects/${p.id}`, { merge_requests_access_level: 'disabled' })
    expect(await p.notes()).not.toContain('merge request')
  })

  test('follows the configuration of the project', async () => {
    const member = await w.user()
    const { email } = (await member.get('/user')).body
    const group = await w.group({ visibility: 'public' })
    await w.member(group.id, member, 30)
    const config = [
      'date_format: "%-d %B %Y, %j %^a %%"',
      'categories: { feature: Features, bug: Bug fixes }',
      `include_groups: [${group.fullPath}]`,
      'tag_regex: ^version-(?P<major>\\d+)\\.(?P<minor>\\d+)\\.(?P<patch>\\d+)(-(?P<pre>\\w+))?$',
      'template: |',
      '  {% each categories %}',
      '  # {{ title }}: {{ count }}{{ nothing }}, first {{ entries.0.title }}',
      '  {% each entries %}',
      '  {{title}} \\',
      '  {{ commit.trailers.Issue }}{% if author.credit %} {{ author.reference }}{% else %} -{% end %};',
      '  {% end %}',
      '  {% end %}',
    ].join('\n')
    const p = await projectWith(
      [
        feature('B', 'bug', 'Issue: #1\n'),
        { ...feature('F'), author: `Member <${email}>` },
        feature('O', 'other'),
      ],
      { config, tag: 'version-0.8.0' },
    )
    await w.member(p.namespaceId, member, 20)
    expect(await p.notes()).toBe(
      `## 1.0.0 (5 January 2026, 005 MON %)\n\n# Features: 1, first F\nF  @${member.username};\n` +
        '# Bug fixes: 1, first B\nB #1 -;\n# other: 1, first O\nO  -;\n',
    )
    await p.admin.post(`/projects/${p.id}/repository/branches`, { branch: 'plain', ref: 'main' })
    await p.admin.delete(`/projects/${p.id}/repository/files/${encodeURIComponent(CONFIG)}`, {
      branch: 'plain',
      commit_message: 'Plain',
    })
    expect(await p.notes('version=1.0.0&from=version-0.8.0&config_file_ref=plain')).toContain('### feature')
    expect(await p.notes('version=1.0.0&from=version-0.8.0&config_file=none.yml')).toContain('### feature')
  })

  test.each([
    ['a: [', 'is no YAML'],
    ['- a', 'holds no settings'],
    ['template: [a]', 'template should be a text of at most 20000 characters'],
    [`date_format: ${'x'.repeat(101)}`, 'date_format should be a text of at most 100 characters'],
    ['categories: [a]', 'categories should be names and titles'],
    ['include_groups: a', 'include_groups should be at most 50 paths of groups'],
    ['tag_regex: "(("', 'tag_regex is invalid'],
    [`tag_regex: "((a{100}){10})"`, 'tag_regex is too large'],
    ['template: "{% each a %}"', 'the template lacks an {% end %}'],
    ['template: "{% end %}"', 'the template has an {% end %} too many'],
    ['template: "{% each a %}{% else %}{% end %}"', 'the template has an {% else %} without an {% if %}'],
    ['template: "{% for a %}"', 'the template cannot be read at {% for a %}'],
    [`template: "${'{% if a %}'.repeat(51)}"`, 'the template has too many blocks in each other'],
    [`a: ${'x'.repeat(70_000)}`, 'has more than 64 KB'],
  ])('refuses a configuration that makes no sense: %s', async (config, why) => {
    const { failure } = await projectWith([feature('One')], { config })
    const [status, message] = await failure()
    expect([status, message]).toEqual([422, expect.stringContaining('Failed to generate the changelog: ')])
    expect(message).toContain(why)
  })

  test('refuses templates from which too much comes', async () => {
    const config = `template: "{% each categories %}{% each entries %}${`{{ title }}${'x'.repeat(9_000)}`.repeat(2)}{% end %}{% end %}"`
    const { failure } = await projectWith(
      Array.from({ length: 80 }, (_, at) => feature(`F${at}`)),
      { config },
    )
    expect(await failure()).toEqual([
      422,
      'Failed to generate the changelog: it would have more than 1000000 characters',
    ])
  })

  test('refuses templates that take long to fill in, though nothing comes of them', async () => {
    const config = `template: "{% each categories %}{% each entries %}${'{{ no }}'.repeat(2_000)}{% end %}{% end %}"`
    const { failure } = await projectWith(
      Array.from({ length: 160 }, (_, at) => feature(`F${at}`)),
      { config },
    )
    expect(await failure()).toEqual([
      422,
      'Failed to generate the changelog: the template takes too many steps to fill in',
    ])
  })

  test('refuses values that are longer than all of it may be, and more trailers than anybody reads', async () => {
    const long = await projectWith([feature('One', 'x'.repeat(1_100_000))])
    expect(await long.failure()).toEqual([
      422,
      'Failed to generate the changelog: it would have more than 1000000 characters',
    ])
    const many = await projectWith([feature('One', 'feature', 'Reviewed-by: Ada\n'.repeat(100_000))])
    expect(await many.failure()).toEqual([
      422,
      'Failed to generate the changelog: the commits have more than 100000 trailers; say `from`',
    ])
    const most = await projectWith([feature('One', 'feature', 'A: b\n'.repeat(99_000))], {
      config: `template: "${'{% if categories.0.entries.0.commit.trailers %}+{% end %}'.repeat(300)}"`,
    })
    expect(await most.notes()).toContain(`\n${'+'.repeat(300)}\n`)
  })

  test('reads configurations with thousands of categories, the last of equal ones, within a moment', async () => {
    const names = Array.from({ length: 5_500 }, (_, at) => `k${at.toString(36)}: a`)
    const config = `categories:\n  ${[...names, 'k1: Last'].join('\n  ')}\n`
    const { notes } = await projectWith([feature('One', 'k1')], { config })
    expect(await notes()).toContain('### Last (1 change)')
  })

  test('refuses further ones of somebody who has several made already, and makes them in turn', async () => {
    const { path, reporter } = await projectWith([feature('One')])
    const get = () => reporter.get(`${path}?version=1.0.0`)
    // Nobody learns of merge requests meanwhile, so two are being made and ten wait.
    const held = await w.db.transaction().execute(async (tx) => {
      await sql`lock table merge_requests in access exclusive mode`.execute(tx)
      const asked = Array.from({ length: 13 }, get)
      expect((await Promise.race(asked)).status).toBe(503)
      return asked
    })
    const statuses = (await Promise.all(held)).map(({ status }) => status)
    expect([200, 503].map((one) => statuses.filter((status) => status === one).length)).toEqual([12, 1])
  })

  test('refuses what is no version, and commits that are not there', async () => {
    const { path, reporter, stranger, failure } = await projectWith([feature('One')])
    for (const version of ['1', '1.0', '01.0.0', '1.0.0-', 'x1.0.0', '1.0.0 x']) {
      const { status, body } = await reporter.get(`${path}?version=${encodeURIComponent(version)}`)
      expect([status, body.error]).toEqual([400, 'version is invalid'])
    }
    expect((await reporter.get(path)).body.error).toBe('version is missing')
    for (const name of ['from', 'to', 'config_file_ref'])
      expect(await failure(`version=1.0.0&${name}=nowhere`)).toEqual([404, '404 Commit Not Found'])
    expect((await stranger.get(`${path}?version=1.0.0`)).status).toBe(404)
    const empty = await w.project()
    const { status } = await empty.reporter.get(`/projects/${empty.id}/repository/changelog?version=1.0.0`)
    expect(status).toBe(404)
  })
})

describe('POST /projects/:id/repository/changelog', () => {
  const raw = async (
    { id, reporter }: Awaited<ReturnType<typeof projectWith>>,
    file = 'CHANGELOG.md',
    ref = 'main',
  ) =>
    (await reporter.get(`/projects/${id}/repository/files/${encodeURIComponent(file)}/raw?ref=${ref}`)).text

  test('adds sections to a file, sorted by their versions', async () => {
    const p = await projectWith([feature('One')])
    const add = async (version: string, more = {}) => {
      const wishes = { version, from: 'v0.9.0', to: p.ids[0], date: '2026-01-05', ...more }
      const { status, text } = await p.maintainer.post(p.path, wishes)
      expect([status, text]).toEqual([200, ''])
    }
    await add('1.0.0')
    await add('2.0.0')
    await add('1.10.0', { message: 'Tell of 1.10' })
    await add('1.10.0-rc.1')
    const titles = async (file?: string) =>
      [...(await raw(p, file)).matchAll(/^## .*/gm)].map(([title]) => title)
    const at = ' (2026-01-05)'
    const all = ['2.0.0', '1.10.0', '1.10.0-rc.1', '1.0.0'].map((one) => `## ${one}${at}`)
    expect(await titles()).toEqual(all)
    const before = await raw(p)
    await add('1.10.0')
    expect(await titles()).toEqual(all)
    expect((await raw(p)).length).toBeGreaterThan(before.length)
    const { body: log } = await p.reporter.get(`/projects/${p.id}/repository/commits?per_page=5`)
    expect(log.map((one: { title: string }) => one.title)).toEqual([
      'Add changelog for version 1.10.0',
      'Add changelog for version 1.10.0-rc.1',
      'Tell of 1.10',
      'Add changelog for version 2.0.0',
      'Add changelog for version 1.0.0',
    ])
    await p.maintainer.post(`/projects/${p.id}/repository/files/NEWS`, {
      branch: 'main',
      commit_message: 'News',
      content: '# News\r\n\r\nAll of it.\r\n',
    })
    await add('1.0.0', { file: 'NEWS' })
    expect(await raw(p, 'NEWS')).toMatch(/^# News\n\nAll of it\.\n\n## 1\.0\.0 \(2026-01-05\)\n\n### feature/)
  })

  test('commits to the branch that is asked for, from its own commits', async () => {
    const p = await projectWith([feature('One')])
    await p.maintainer.post(`/projects/${p.id}/repository/branches`, { branch: 'stable', ref: 'v0.9.0' })
    const { status } = await p.developer.post(p.path, { version: '1.0.0', branch: 'stable' })
    expect(status).toBe(200)
    expect(await raw(p, 'CHANGELOG.md', 'stable')).toContain('No changes.')
    const { body } = await p.developer.post(p.path, { version: '1.0.0', branch: 'nowhere' })
    expect(body).toEqual({ message: '404 Branch Not Found' })
  })

  test('takes the rights of a commit', async () => {
    const p = await projectWith([feature('One')])
    await p.owner.post(`/projects/${p.id}/protected_branches`, { name: 'main' })
    const protectedOne = await p.developer.post(p.path, { version: '1.0.0' })
    expect(protectedOne.status).toBe(403)
    expect((await p.reporter.post(p.path, { version: '1.0.0' })).status).toBe(403)
    const { status, body } = await p.maintainer.post(p.path, { version: '0.1.0' })
    expect([status, body.message]).toEqual([422, expect.stringContaining('no previous tag')])
    expect((await p.maintainer.post(p.path, { version: '1.0.0', file: '../x' })).status).toBe(400)
    const folder = await p.maintainer.post(`/projects/${p.id}/repository/files/docs%2Fa`, {
      branch: 'main',
      commit_message: 'Docs',
      content: 'a',
    })
    expect(folder.status).toBe(201)
    expect((await p.maintainer.post(p.path, { version: '1.0.0', file: 'docs' })).body.message).toBe(
      'Failed to generate the changelog: docs is no file',
    )
  })

  test('of two at once, none loses what the other one wrote', async () => {
    const p = await projectWith([feature('One')])
    const versions = ['1.0.0', '1.0.1', '1.0.2']
    const answers = await Promise.all(versions.map((version) => p.maintainer.post(p.path, { version })))
    const text = await raw(p)
    for (const [index, { status }] of answers.entries()) {
      expect([200, 400, 409]).toContain(status)
      expect(text.includes(`## ${versions[index]} `)).toBe(status === 200)
    }
  })
})

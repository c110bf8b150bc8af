import { describe, expect, test } from 'vitest'
import { expectQuick } from '#test/quick.ts'
import { w } from '#test/world.ts'
import { projectWithCi } from '../test-support.ts'

const ask = async (p: Awaited<ReturnType<typeof projectWithCi>>, content: string, more: object = {}) => {
  const { status, body } = await p.developer.post(`${p.base}/ci/lint`, { content, ...more })
  expect([status, body.message]).toEqual([200, undefined])
  return body
}
const errors = async (p: Awaited<ReturnType<typeof projectWithCi>>, content: string) =>
  (await ask(p, content)).errors

describe('POST /projects/:id/ci/lint', () => {
  test('answers with the merged file, includes and jobs of what is right', async () => {
    const p = await projectWithCi('job: { script: x }', {
      files: { 'ci/one.yml': 'one: { script: a }', 'ci/two.yml': 'two: { script: b }' },
    })
    const body = await ask(p, 'include: ci/*.yml\nthree: { extends: one, tags: [big], when: manual }', {
      include_jobs: true,
    })
    const sha = (await p.reporter.get(`${p.base}/repository/commits/main`)).body.id
    expect(body).toEqual({
      valid: true,
      errors: [],
      warnings: [],
      merged_yaml: expect.stringContaining(
        'three:\n  script: a\n  extends: one\n  tags:\n    - big\n  when: manual',
      ),
      includes: ['ci/one.yml', 'ci/two.yml'].map((location) => ({
        type: 'local',
        location,
        blob: `${w.url}/${p.fullPath}/-/blob/${sha}/${location}`,
        raw: `${w.url}/${p.fullPath}/-/raw/${sha}/${location}`,
        extra: {},
        context_project: p.fullPath,
        context_sha: sha,
      })),
      jobs: ['one', 'two', 'three'].map((name) => expect.objectContaining({ name, stage: 'test' })),
    })
    expect(body.jobs[2]).toEqual({
      name: 'three',
      stage: 'test',
      before_script: [],
      script: ['a'],
      after_script: [],
      tag_list: ['big'],
      only: { refs: ['branches', 'tags'] },
      except: null,
      environment: null,
      when: 'manual',
      allow_failure: true,
      needs: null,
    })
  })

  test('names what is wrong with its line', async () => {
    const p = await projectWithCi('job: { script: x }')
    const body = await ask(p, 'one:\n  script: x\ntwo:\n  script: x\n  stage: nowhere\n')
    expect([body.valid, body.errors]).toEqual([
      false,
      [
        'two job: chosen stage nowhere does not exist; available stages are .pre, build, test, deploy, .post (.gitlab-ci.yml line 5)',
      ],
    ])
    expect(await errors(p, 'a: [')).toEqual([expect.stringContaining('line 1')])
    expect(await errors(p, '')).toEqual(['Please provide content of .gitlab-ci.yml'])
  })

  test('says of each include why it cannot be had', async () => {
    const p = await projectWithCi('job: { script: x }')
    const hidden = await w.project()
    expect(await errors(p, 'include: none.yml')).toEqual([
      'Local file `none.yml` does not exist! (.gitlab-ci.yml line 1)',
    ])
    const denied = (path: string) =>
      `Project \`${path}\` not found or access denied! Make sure any includes in the pipeline configuration are correctly defined. (.gitlab-ci.yml line 1)`
    expect(await errors(p, `include: { project: ${hidden.fullPath}, file: x.yml }`)).toEqual([
      denied(hidden.fullPath),
    ])
    expect(await errors(p, 'include: { project: no/where, file: x.yml }')).toEqual([denied('no/where')])
    expect(await errors(p, `include: { project: ${p.fullPath}, file: x.yml }`)).toEqual([
      `Project \`${p.fullPath}\` file \`x.yml\` does not exist! (.gitlab-ci.yml line 1)`,
    ])
    expect(await errors(p, `include: { project: ${p.fullPath}, file: x.yml, ref: none }`)).toEqual([
      `Project \`${p.fullPath}\` reference \`none\` does not exist! (.gitlab-ci.yml line 1)`,
    ])
    expect(await errors(p, 'include: { remote: "http://127.0.0.1:1/x.yml" }')).toEqual([
      expect.stringContaining('Remote file `http://127.0.0.1:1/x.yml` could not be fetched because'),
    ])
    expect(await errors(p, 'include: { template: None.gitlab-ci.yml }')).toEqual([
      expect.stringContaining('Included file `None.gitlab-ci.yml` is empty or does not exist!'),
    ])
    expect(await errors(p, 'include: { component: a/b@1 }')).toEqual([
      expect.stringContaining('`include:component` is not supported'),
    ])
    expect(await errors(p, 'include: { local: a.yml, integrity: x }')).toEqual([
      expect.stringContaining('`include:integrity` is not supported'),
    ])
  })

  test('includes files of other projects that the caller may read, and templates', async () => {
    const other = await projectWithCi('from-other: { script: x }')
    const p = await projectWithCi('job: { script: x }')
    await w.member(other.namespaceId, p.developer, 20)
    const body = await ask(
      p,
      `include:\n  - { project: ${other.fullPath}, file: .gitlab-ci.yml }\n  - template: Bash.gitlab-ci.yml`,
      { include_jobs: true },
    )
    expect([body.errors, body.jobs.map(({ name }: { name: string }) => name)]).toEqual([
      [],
      ['from-other', 'build', 'test', 'deploy'],
    ])
  })

  test('a dry run applies rules as a pipeline does', async () => {
    const p = await projectWithCi('job: { script: x }', { files: { Dockerfile: '' } })
    const content = `
docker: { script: x, rules: [{ exists: [Dockerfile] }] }
other: { script: x, rules: [{ exists: [none] }] }
main: { script: x, rules: [{ if: $CI_COMMIT_BRANCH == "main" }] }
`
    const { body } = await p.developer.post(`${p.base}/ci/lint`, {
      content,
      dry_run: true,
      include_jobs: true,
    })
    expect(body.jobs.map(({ name }: { name: string }) => name)).toEqual(['docker', 'main'])
    const nothing = await ask(p, 'other: { script: x, rules: [{ when: never }] }', { dry_run: true })
    expect([nothing.valid, nothing.errors]).toEqual([false, [expect.stringContaining('will not run')]])
  })

  test('works in a project without a commit', async () => {
    const empty = await w.project()
    const { body } = await empty.developer.post(`/projects/${empty.id}/ci/lint`, {
      content: 'job: { script: x }',
    })
    expect(body.valid).toBe(true)
  })

  test('a file that takes too long does no harm to others', async () => {
    const p = await projectWithCi('job: { script: x }')
    const bomb = [
      'a: &a [x, x, x, x, x, x, x, x, x]',
      ...'bcdefghij'.split('').map((name, at) => {
        const before = 'abcdefghij'[at]
        return `${name}: &${name} [${Array(9).fill(`*${before}`).join(', ')}]`
      }),
    ].join('\n')
    await expectQuick(async () => expect((await errors(p, bomb))[0]).toBeDefined(), 2_000)
    expect((await ask(p, 'job: { script: x }')).valid).toBe(true)
  })
})

describe('GET /projects/:id/ci/lint', () => {
  test('checks the file of a project at a reference', async () => {
    const p = await projectWithCi('job: { script: x }')
    const { status, body } = await p.reporter.get(`${p.base}/ci/lint?include_jobs=true`)
    expect([status, body.valid, body.jobs.map(({ name }: { name: string }) => name)]).toEqual([
      200,
      true,
      ['job'],
    ])
    expect((await p.reporter.get(`${p.base}/ci/lint?content_ref=none`)).body.message).toBe(
      '404 Reference Not Found',
    )
    expect((await p.reporter.get(`${p.base}/ci/lint?dry_run=true`)).status).toBe(403)
    expect((await p.developer.get(`${p.base}/ci/lint?dry_run=true`)).body.valid).toBe(true)
    const empty = await w.project()
    expect((await empty.developer.get(`/projects/${empty.id}/ci/lint`)).body).toMatchObject({
      valid: false,
      errors: ['Please provide content of .gitlab-ci.yml'],
    })
  })

  test('reads another path or project where `ci_config_path` says so', async () => {
    const other = await projectWithCi('x: { script: x }', {
      files: { 'shared.yml': 'shared: { script: x }' },
    })
    const p = await projectWithCi('job: { script: x }', { files: { 'ci/main.yml': 'own: { script: x }' } })
    await w.member(other.namespaceId, p.developer, 20)
    const names = async () =>
      (await p.developer.get(`${p.base}/ci/lint?include_jobs=true`)).body.jobs.map(
        ({ name }: { name: string }) => name,
      )
    await p.maintainer.put(p.base, { ci_config_path: 'ci/main.yml' })
    expect(await names()).toEqual(['own'])
    await p.maintainer.put(p.base, { ci_config_path: `shared.yml@${other.fullPath}:main` })
    expect(await names()).toEqual(['shared'])
  })
})

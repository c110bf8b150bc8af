import { describe, expect, it } from 'vitest'
import { until } from '#test/until.ts'
import { w } from '#test/world.ts'
import { cloneOf, git, projectWith, pushesTo, urlWith, withGit } from '#code/git-http/test-support.ts'

withGit()

type Work = Awaited<ReturnType<typeof projectWith>>['work']

/** Commits to a branch, and pushes it with options. @returns what git said */
async function push(work: Work, branch: string, options: readonly string[], message = `Change ${branch}`) {
  await work.try('checkout', '--quiet', '-B', branch)
  await work.commit({ [`${branch}.txt`]: `${Math.random()}` }, message)
  const pushed = await work.try(
    'push',
    ...options.flatMap((one) => ['-o', `merge_request.${one}`]),
    'origin',
    branch,
  )
  expect(pushed).toMatchObject({ code: 0 })
  return pushed.err
}

const listOf = async ({ id, maintainer }: Awaited<ReturnType<typeof w.project>>, query = 'state=opened') =>
  (await maintainer.get(`/projects/${id}/merge_requests?${query}`)).body

describe('a push with options', () => {
  it('opens a merge request with all that they say, and tells its address', async () => {
    const { project, work } = await projectWith({ a: '1' })
    const { id, maintainer, fullPath } = project
    await work.run('push', '--quiet', 'origin', 'main:stable')
    await maintainer.post(`/projects/${id}/milestones`, { title: '1.0' })
    const other = project.developer
    const said = await push(work, 'fix', [
      'create',
      'target=stable',
      'title=Fix it',
      'description=First\\n\\nSecond',
      'draft',
      'label=bug',
      'label=new one',
      'milestone=1.0',
      `assign=@${other.username}`,
      `unassign=${maintainer.id}`,
      'remove_source_branch',
      'squash',
    ])
    expect(await listOf(project)).toMatchObject([
      {
        title: 'Draft: Fix it',
        description: 'First\n\nSecond',
        source_branch: 'fix',
        target_branch: 'stable',
        labels: ['bug', 'new one'],
        milestone: { title: '1.0' },
        assignees: [{ id: other.id }],
        author: { id: maintainer.id },
        draft: true,
        squash: true,
        force_remove_source_branch: true,
      },
    ])
    expect(said).toContain('remote: View merge request for fix:')
    expect(said).toContain(`${w.url}/${fullPath}/-/merge_requests/1`)
    expect(said).not.toContain('Forgelet:')
    expect((await pushesTo(project)).at(-1)).toMatchObject({
      push_options: { merge_request: { create: true, label: { bug: 1, 'new one': 1 } } },
    })
  })

  it('takes the text of the only commit, the name of the branch for several, and assigns who pushes', async () => {
    const { project, work } = await projectWith({ a: '1' })
    await push(work, 'only', ['create'], 'Say hello\n\nTo everybody.')
    await work.run('checkout', '--quiet', 'main')
    await work.run('checkout', '--quiet', '-b', 'fix-the_parser')
    await work.commit({ b: '1' }, 'One')
    await push(work, 'fix-the_parser', ['create'], 'Two')
    expect(await listOf(project, 'sort=asc')).toMatchObject([
      {
        title: 'Say hello',
        description: 'To everybody.',
        target_branch: 'main',
        assignees: [{ id: project.maintainer.id }],
      },
      { title: 'Fix the parser', description: null },
    ])
  })

  it('changes the merge request that is open', async () => {
    const { project, work } = await projectWith({ a: '1' })
    await work.run('push', '--quiet', 'origin', 'main:stable')
    await push(work, 'fix', ['create', 'title=Before', 'label=a', 'label=b'])
    await push(work, 'fix', [
      'title=After',
      'target=stable',
      'unlabel=a',
      'label=c',
      'draft',
      `unassign=${project.maintainer.username}`,
    ])
    await push(work, 'fix', ['create', 'squash', 'remove_source_branch=false'])
    expect(await listOf(project)).toMatchObject([
      { title: 'Draft: After', target_branch: 'stable', labels: ['b', 'c'], assignees: [], squash: true },
    ])
  })

  it('merges automatically, at once or as soon as nothing is in the way', async () => {
    const { project, work } = await projectWith({ a: '1' })
    await push(work, 'soon', ['create', 'auto_merge'])
    await push(work, 'later', ['create', 'merge_when_pipeline_succeeds', 'draft'])
    await until(async () => expect(await listOf(project, 'state=merged')).toHaveLength(1))
    expect(await listOf(project, 'sort=asc&state=all')).toMatchObject([
      { source_branch: 'soon', state: 'merged' },
      { source_branch: 'later', state: 'opened', merge_when_pipeline_succeeds: true },
    ])
  })

  it('from a fork goes to the project that it is a fork of, or to the one that it names', async () => {
    const { project } = await projectWith({ a: '1' }, { visibility: 'public' })
    const user = await w.user()
    const { body: fork } = await user.post(`/projects/${project.id}/fork`)
    await until(async () =>
      expect((await user.get(`/projects/${fork.id}`)).body.import_status).toBe('finished'),
    )
    const work = await cloneOf(urlWith(user.token, fork.path_with_namespace))
    const said = await push(work, 'theirs', ['create', 'label=mine'])
    expect(said).toContain(`${w.url}/${project.fullPath}/-/merge_requests/1`)
    expect(said).toContain('Forgelet: You may not set labels')
    await push(work, 'own', ['create', `target_project=${fork.path_with_namespace}`])
    expect(await listOf(project)).toMatchObject([
      { source_project_id: fork.id, source_branch: 'theirs', labels: [], assignees: [] },
    ])
    expect((await user.get(`/projects/${fork.id}/merge_requests`)).body).toMatchObject([
      { source_branch: 'own' },
    ])
  })
})

describe('what cannot be done is told, and the push is there', () => {
  it('for each option', async () => {
    const { project, url, work } = await projectWith({ a: '1' })
    const cases: readonly (readonly [readonly string[], string, RegExp])[] = [
      [['title=x'], 'a', /no open merge request of a: add -o merge_request.create/],
      [['create', 'target=nowhere'], 'b', /Target branch "nowhere" does not exist/],
      [['create', 'target_project=no/where'], 'c', /Project Not Found/],
      [['create', `title=${'x'.repeat(300)}`], 'd', /too long/],
      [['create', 'milestone=none'], 'e', /There is no milestone none/],
      [['assign=nobody-here'], 'e', /There is nobody with the username or id nobody-here/],
    ]
    for (const [options, branch, remark] of cases) expect(await push(work, branch, options)).toMatch(remark)
    expect((await git().run(['ls-remote', '--heads', url])).match(/refs/g)).toHaveLength(6)
    expect(await listOf(project)).toMatchObject([{ source_branch: 'e', milestone: null }])
  })

  it('for more than ten branches, and for those who may not merge', async () => {
    const { project, work } = await projectWith({ a: '1' })
    const { developer } = project
    await work.run('remote', 'set-url', 'origin', urlWith(developer.token, project.fullPath))
    expect(await push(work, 'fix', ['create', 'auto_merge'])).toContain(
      'Forgelet: You may not merge into main',
    )
    const names = Array.from({ length: 11 }, (_, at) => `HEAD:refs/heads/b${at}`)
    const { code, err } = await work.try('push', '-o', 'mr.create', 'origin', ...names)
    expect(code).toBe(0)
    expect(err).toContain('options for merge requests are for 10 branches at most'.replace('o', 'O'))
    expect(await listOf(project)).toHaveLength(1)
  })
})

it('tells where a merge request can be opened, unless the project or the branch wants none', async () => {
  const { project, work } = await projectWith({ a: '1' })
  const said = await push(work, 'fix/it', [])
  expect(said).toContain('remote: To create a merge request for fix/it, visit:')
  expect(said).toContain(
    `remote:   ${w.url}/${project.fullPath}/-/merge_requests/new?merge_request%5Bsource_branch%5D=fix%2Fit`,
  )
  expect(await push(work, 'main', [])).not.toContain('merge request')
  await work.run('push', '--quiet', 'origin', 'main:gone')
  expect((await work.try('push', 'origin', ':gone')).err).not.toContain('merge request')
  await project.maintainer.put(`/projects/${project.id}`, { printing_merge_request_link_enabled: false })
  expect(await push(work, 'other', [])).not.toContain('merge request')
})

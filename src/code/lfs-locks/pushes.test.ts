import { describe, expect, it } from 'vitest'
import { cloneOf, projectWith, urlWith, withGit } from '#code/git-http/test-support.ts'
import { unique, w } from '#test/world.ts'
import { lock, locks } from './test-support.ts'

withGit()

type Project = Awaited<ReturnType<typeof projectWith>>['project']
const cloneAs = (person: { readonly token: string }, { fullPath }: Project) =>
  cloneOf(urlWith(person.token, fullPath))

describe('pushing changes of locked files', () => {
  it('is for the person who locked them, whatever the branch', async () => {
    const { project } = await projectWith({ 'a.bin': '1', b: '1', 'dir/a.bin': '1' })
    const { developer, maintainer } = project
    const id = await lock(project.fullPath, developer, 'a.bin')
    const [own, theirs] = await Promise.all([cloneAs(developer, project), cloneAs(maintainer, project)])
    const text = `The path 'a.bin' is locked in Git LFS by @${developer.username}`
    await theirs.commit({ b: '2', 'dir/a.bin': '2' })
    expect(await theirs.try('push', 'origin', 'HEAD:main', 'HEAD:other')).toMatchObject({ code: 0 })
    await theirs.commit({ 'a.bin': '2' })
    await theirs.commit({ 'a.bin': '1' }, 'Nothing is different in the end')
    const refused = await theirs.try('push', 'origin', 'HEAD:main')
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(`remote: Forgelet: ${text}`) })
    expect(refused.err).toContain('[remote rejected]')
    expect(await theirs.try('push', 'origin', 'HEAD:feature')).toMatchObject({ code: 1 })
    await theirs.run('tag', 'v1')
    expect(await theirs.try('push', 'origin', 'v1')).toMatchObject({ code: 1 })
    await theirs.run('rm', '--quiet', 'a.bin')
    await theirs.run('commit', '--quiet', '--message', 'Delete it')
    expect(await theirs.try('push', 'origin', 'HEAD:main')).toMatchObject({ code: 1 })
    await own.commit({ 'a.bin': '3' })
    expect(await own.try('push', 'origin', 'HEAD:feature')).toMatchObject({ code: 0 })
    // What is there already may go to other branches, too.
    await theirs.run('fetch', '--quiet', 'origin')
    expect(await theirs.try('push', 'origin', 'origin/feature:refs/heads/copy', ':other')).toMatchObject({
      code: 0,
    })
    await locks(project.fullPath, `/${id}/unlock`, { token: developer.token, body: {} })
    expect(await theirs.try('push', 'origin', 'HEAD:main')).toMatchObject({ code: 0 })
  })

  it('refuses only the branches that have such a change, unless they go together', async () => {
    const { project } = await projectWith({ a: '1', b: '1' })
    await lock(project.fullPath, project.developer, 'a')
    const work = await cloneAs(project.maintainer, project)
    await work.commit({ b: '2' })
    await work.run('branch', 'good')
    await work.commit({ a: '2' })
    await work.run('branch', 'bad')
    expect(await work.try('push', '--atomic', 'origin', 'good', 'bad')).toMatchObject({ code: 1 })
    const pushed = await work.try('push', 'origin', 'good', 'bad')
    expect(pushed.err).toMatch(/\[new branch\]\s+good -> good/)
    expect(pushed.err).toMatch(/! \[remote rejected\] bad -> bad \(the path 'a' is locked/)
  })

  it('looks at merges for what they change themselves', async () => {
    const { project } = await projectWith({ a: '1', b: '1' })
    const { developer, maintainer } = project
    await lock(project.fullPath, developer, 'a')
    const own = await cloneAs(developer, project)
    await own.commit({ a: '2' })
    await own.run('push', '--quiet', 'origin', 'HEAD:work')
    const theirs = await cloneAs(maintainer, project)
    await theirs.commit({ b: '2' })
    await theirs.run('merge', '--quiet', '--no-edit', 'origin/work')
    expect(await theirs.try('push', 'origin', 'HEAD:main')).toMatchObject({ code: 0 })
    await own.commit({ a: '3' })
    await own.run('push', '--quiet', 'origin', 'HEAD:work')
    await theirs.run('fetch', '--quiet', 'origin')
    await theirs.run('merge', '--quiet', '--no-commit', '--no-ff', 'origin/work')
    await theirs.commit({ a: 'of their own' })
    expect(await theirs.try('push', 'origin', 'HEAD:main')).toMatchObject({ code: 1 })
  })

  it('finds a locked file among very many, with very many locks', async () => {
    const { project } = await projectWith({ a: '1' })
    const row = {
      project_id: project.id,
      user_id: project.developer.id,
      created_at: w.clock.now().toISOString(),
    }
    const names = Array.from({ length: 150 }, (_, at) => `locked/${at}`)
    await w.db
      .insertInto('lfs_locks')
      .values(names.map((path) => ({ ...row, path })))
      .execute()
    const work = await cloneAs(project.maintainer, project)
    await work.commit(Object.fromEntries(Array.from({ length: 1_100 }, (_, at) => [`free/${at}`, `${at}`])))
    expect(await work.try('push', 'origin', 'HEAD:main')).toMatchObject({ code: 0 })
    await work.commit({ 'locked/77': 'x' })
    const refused = await work.try('push', 'origin', 'HEAD:main')
    expect(refused.err).toContain(
      `The path 'locked/77' is locked in Git LFS by @${project.developer.username}`,
    )
  })

  it('asks nothing of git unless somebody else has locked a file', async () => {
    const { project, work } = await projectWith({ a: '1', b: '1' })
    const { git } = w.running.services.repositories
    const { onProcess } = git
    const logs = async () => {
      let count = 0
      git.onProcess = (command, ...rest) => {
        if (command === 'log') count += 1
        onProcess(command, ...rest)
      }
      await work.commit({ b: unique('b') })
      await work.run('push', '--quiet', 'origin', 'HEAD:main').finally(() => (git.onProcess = onProcess))
      return count
    }
    expect(await logs()).toBe(0)
    await lock(project.fullPath, project.maintainer, 'a')
    expect(await logs()).toBe(0)
    await lock(project.fullPath, project.developer, 'b/c')
    expect(await logs()).toBe(1)
  })

  it('counts no locks where LFS is switched off', async () => {
    const { project, work } = await projectWith({ a: '1' })
    await lock(project.fullPath, project.developer, 'a')
    await work.commit({ a: '2' })
    expect(await work.try('push', 'origin', 'HEAD:main')).toMatchObject({ code: 1 })
    await project.owner.put(`/projects/${project.id}`, { lfs_enabled: false })
    expect(await work.try('push', 'origin', 'HEAD:main')).toMatchObject({ code: 0 })
  })
})

describe('changing locked files by the API', () => {
  it('is for the person who locked them', async () => {
    const { project } = await projectWith({ a: '1' })
    const { developer, maintainer } = project
    await lock(project.fullPath, developer, 'a')
    const update = { branch: 'main', commit_message: 'Update', content: '2' }
    const because = new RegExp(`the path 'a' is locked in Git LFS by @${developer.username}`)
    const file = await maintainer.put(`/projects/${project.id}/repository/files/a`, update)
    expect(file).toMatchObject({ status: 400, body: { message: expect.stringMatching(because) } })
    const actions = [{ action: 'delete', file_path: 'a' }]
    const commit = await maintainer.post(`/projects/${project.id}/repository/commits`, { ...update, actions })
    expect(commit).toMatchObject({ status: 403, body: { message: expect.stringMatching(because) } })
    const own = { ...update, branch: 'own', start_branch: 'main' }
    expect((await developer.put(`/projects/${project.id}/repository/files/a`, own)).status).toBe(200)
  })

  it('lets others merge what the person has pushed, as it is', async () => {
    const { project } = await projectWith({ a: '1' })
    const { developer, maintainer } = project
    await lock(project.fullPath, developer, 'a')
    const change = { branch: 'own', start_branch: 'main', commit_message: 'Update', content: '2' }
    await developer.put(`/projects/${project.id}/repository/files/a`, change)
    const request = { source_branch: 'own', target_branch: 'main', title: 'Own' }
    const { body } = await developer.post(`/projects/${project.id}/merge_requests`, request)
    const at = `/projects/${project.id}/merge_requests/${body.iid}/merge`
    expect((await maintainer.put(at, {})).status).toBe(200)
  })
})

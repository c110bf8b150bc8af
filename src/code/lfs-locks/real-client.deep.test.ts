import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { cloneOf, projectWith, urlWith, withGit } from '#code/git-http/test-support.ts'
import { SshClient } from '#code/git-ssh/test-support.ts'
import { noGitLfs } from '#test/git-lfs.ts'
import { openWorld } from '#test/world.ts'

withGit()
const missing = noGitLfs()
beforeAll(() => {
  if (missing !== undefined) console.warn(`skipped: ${missing}`)
})

describe.skipIf(missing !== undefined)('the client of Git LFS', () => {
  it('locks and unlocks files for two people', async () => {
    const { project } = await projectWith({ 'a.dat': '1', '.gitattributes': '*.dat lockable\n' })
    const open = async (person: { readonly token: string }) => {
      const clone = await cloneOf(urlWith(person.token, project.fullPath))
      await clone.run('lfs', 'install', '--local')
      await clone.run('config', 'lfs.locksverify', 'true')
      return clone
    }
    const { developer, maintainer } = project
    const [own, theirs] = await Promise.all([open(developer), open(maintainer)])
    expect(await own.run('lfs', 'lock', 'a.dat')).toContain('Locked a.dat')
    const twice = await theirs.try('lfs', 'lock', 'a.dat')
    expect(twice).toMatchObject({ code: 2, err: expect.stringContaining('is locked by @') })
    expect(await theirs.run('lfs', 'locks')).toMatch(
      new RegExp(`^a\\.dat\\s+${developer.username}\\s+ID:\\d+`),
    )
    expect(await own.run('lfs', 'locks', '--verify')).toMatch(/^O a\.dat/)
    expect(await theirs.run('lfs', 'locks', '--verify')).toMatch(/^ {2}a\.dat/)
    expect(await theirs.run('lfs', 'locks', '--path', 'none.dat')).toBe('')

    await theirs.run('config', 'lfs.setlockablereadonly', 'false')
    await theirs.run('commit', '--quiet', '--allow-empty', '--message', 'Nothing')
    await theirs.commit({ 'b.dat': '2' })
    expect(await theirs.try('push', 'origin', 'HEAD:main')).toMatchObject({ code: 0 })
    expect(await theirs.try('lfs', 'unlock', 'a.dat')).toMatchObject({ code: 2 })
    expect(await theirs.run('lfs', 'unlock', '--force', 'a.dat')).toContain('Unlocked a.dat')
    expect(await own.run('lfs', 'lock', 'a.dat')).toContain('Locked a.dat')
    const pushed = await own.try('push', 'origin', 'HEAD:copy')
    expect(pushed).toMatchObject({ code: 0 })
    expect(await own.run('lfs', 'unlock', 'a.dat')).toContain('Unlocked a.dat')
    expect(await own.run('lfs', 'locks')).toBe('')
  })

  it('locks over SSH, as the person whose key it is', async () => {
    const own = await openWorld(undefined, undefined, { FORGELET_SSH_ADDRESS: '127.0.0.1:0' })
    onTestFinished(() => own.running.stop())
    await using client = await SshClient.open()
    const { fullPath, maintainer, owner, id } = await own.project()
    await client.addTo(maintainer)
    const work = await client.git.init(`${own.running.services.sshSite()}${fullPath}.git`, 'work')
    await work.commit({ 'a.dat': '1' })
    await work.run('push', '--quiet', 'origin', 'HEAD:own')
    await work.run('lfs', 'install', '--local')
    expect(await work.run('lfs', 'lock', 'a.dat')).toContain('Locked a.dat')
    expect(await work.run('lfs', 'locks', '--verify')).toMatch(/^O a\.dat/)
    const change = { branch: 'own', commit_message: 'Update', content: '2' }
    expect((await owner.put(`/projects/${id}/repository/files/a.dat`, change)).status).toBe(400)
    expect(await work.run('lfs', 'unlock', 'a.dat')).toContain('Unlocked a.dat')
    expect((await owner.put(`/projects/${id}/repository/files/a.dat`, change)).status).toBe(200)
  })
})

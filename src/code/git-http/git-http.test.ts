import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Actor } from '../../../test/world.ts'
import { w } from '../../../test/world.ts'
import { GitClient } from '../../../test/git-client.ts'

let client: GitClient
beforeAll(async () => {
  client = await GitClient.open()
})
afterAll(() => client[Symbol.asyncDispose]())

let serial = 0
const fresh = () => `clone-${++serial}`

/** The URL of a repository for somebody with a token. */
const urlFor = (actor: Pick<Actor, 'token'>, path: string) =>
  `${w.url.replace('://', `://oauth2:${actor.token}@`)}/${path}.git`

async function projectWith(files: Record<string, string>) {
  const project = await w.project()
  const url = urlFor(project.maintainer, project.fullPath)
  const work = await client.init(url, fresh())
  const head = await work.commit(files)
  await work.run('push', '--quiet', 'origin', 'main')
  return { project, url, work, head }
}

describe('clone and push', () => {
  it('clones an empty repository, pushes to it, and clones what was pushed', async () => {
    const project = await w.project()
    const url = urlFor(project.maintainer, project.fullPath)
    const first = await client.clone(url, fresh())
    const head = await first.commit({ 'README.md': '# Hello\n' })
    const pushed = await first.try('push', 'origin', 'main')
    expect(pushed).toMatchObject({ code: 0 })
    const second = await client.clone(url, fresh())
    expect(await second.id('HEAD')).toBe(head)
  })

  it('pushes branches and tags, forces, deletes', async () => {
    const { url, work } = await projectWith({ a: '1' })
    await work.run('checkout', '--quiet', '-b', 'feature/x')
    await work.commit({ b: '1' })
    await work.run('tag', 'light')
    await work.run('tag', '-m', 'Version 1', 'v1')
    await work.run('push', '--quiet', 'origin', 'feature/x', 'light', 'v1')
    await work.run('commit', '--quiet', '--amend', '-m', 'Other')
    const refused = await work.try('push', 'origin', 'feature/x')
    expect(refused.code).toBe(1)
    await work.run('push', '--quiet', '--force', 'origin', 'feature/x')
    const refs = await client.run(['ls-remote', url])
    expect(refs).toContain(`${await work.id('HEAD')}\trefs/heads/feature/x`)
    expect(refs).toContain('refs/tags/v1^{}')
    await work.run('push', '--quiet', 'origin', '--delete', 'feature/x', 'light')
    expect(await client.run(['ls-remote', url])).not.toContain('feature/x')
  })
})

import { describe, expect, it } from 'vitest'
import { cpuTime } from '#test/quick.ts'
import { gitUrl } from './paths.ts'

const found = (project: string, rest = 'info/refs') => `/-/git/${encodeURIComponent(project)}/${rest}`

describe('the path of a repository', () => {
  it.each([
    ['/group/project.git/info/refs', 'group/project'],
    ['/group/project/info/refs', 'group/project'],
    ['//group/project.git/info/refs', 'group/project'],
    ['///group//project.git//info/refs', 'group/project'],
    ['/group/pro%6Aect.git/info/refs/', 'group/project'],
    ['/group/project.wiki.git/info/refs', 'group/project.wiki'],
    ['/group/git-upload-pack/info/refs', 'group/git-upload-pack'],
  ])('%s is that of %s', (url, project) => {
    expect(gitUrl(url)).toBe(found(project))
    expect(gitUrl(`${url}?service=git-upload-pack`)).toBe(found(project, 'info/refs?service=git-upload-pack'))
  })

  it.each([
    '/api/v4/projects/git-upload-pack',
    '//api/v4/projects/info/refs',
    '/-/git/group%2Fproject/info/refs',
    '//-/git/group%2Fproject/info/refs',
    '/-/info/refs',
    '/api/info/refs',
    '/info/refs',
    '///info/refs',
    '/group/project?x=/info/refs',
    '/group/%zz/info/refs',
    '/group/project/info/refs/heads',
  ])('%s is left alone', (url) => {
    expect(gitUrl(url)).toBe(url)
  })

  it('is found at once among thousands of slashes', async () => {
    const slashes = '/'.repeat(65_000)
    const spent = await cpuTime(() => {
      expect(gitUrl(`/a${slashes}x`)).toBe(`/a${slashes}x`)
      expect(gitUrl(`${slashes}a${slashes}b${slashes}info/refs`)).toBe(found('a/b'))
    })
    expect(spent).toBeLessThan(500)
  })
})

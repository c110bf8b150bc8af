import { describe, expect, it } from 'vitest'
import { giveSample } from '#test/repositories.ts'
import { w } from '#test/world.ts'

async function sample() {
  const project = await w.project()
  const { row } = await giveSample(project)
  const file = (path: string) => `/projects/${project.id}/repository/files/${encodeURIComponent(path)}`
  return { project, file, tip: row.last_commit_sha ?? '' }
}

const change = { branch: 'main', commit_message: 'Change' }

describe('POST, PUT and DELETE of a file', () => {
  it.each(['docs/new file.md', '100%.txt', 'a.json', 'über/ñ.txt', '-x', '#1'])('write %s', async (path) => {
    const { project, file } = await sample()
    const { developer } = project
    const made = await developer.post(file(path), { ...change, content: 'one' })
    expect([made.status, made.body]).toEqual([201, { file_path: path, branch: 'main' }])
    const again = await developer.post(file(path), { ...change, content: 'two' })
    expect([again.status, again.body]).toEqual([400, { message: 'A file with this name already exists' }])
    const changed = await developer.put(file(path), {
      ...change,
      content: Buffer.from('zwei').toString('base64'),
      encoding: 'base64',
      execute_filemode: true,
      author_name: 'Ada',
      author_email: 'ada@example.com',
    })
    expect([changed.status, changed.body]).toEqual([200, { file_path: path, branch: 'main' }])
    const { body } = await developer.get(`${file(path)}?ref=main`)
    expect([Buffer.from(body.content, 'base64').toString(), body.execute_filemode]).toEqual(['zwei', true])
    const commit = await developer.get(`/projects/${project.id}/repository/commits/${body.last_commit_id}`)
    expect(commit.body).toMatchObject({ title: 'Change', author_name: 'Ada' })
    const gone = await developer.delete(`${file(path)}?branch=main&commit_message=Gone`)
    expect([gone.status, gone.text]).toEqual([204, ''])
    expect((await developer.get(`${file(path)}?ref=main`)).status).toBe(404)
    expect((await developer.delete(file(path), change)).body).toEqual({
      message: "A file with this name doesn't exist",
    })
  })

  it('begin a branch, and keep what somebody else has changed', async () => {
    const { project, file, tip } = await sample()
    const { developer } = project
    const begun = { ...change, branch: 'x', start_branch: 'main' }
    expect((await developer.put(file('README.md'), { ...begun, content: '1' })).status).toBe(200)
    const late = { ...change, branch: 'x', content: '2', last_commit_id: tip }
    expect((await developer.put(file('README.md'), late)).body.message).toContain('has changed since')
    const deletion = `${file('README.md')}?branch=x&commit_message=x&last_commit_id=${tip}`
    expect((await developer.delete(deletion)).status).toBe(400)
    const current = { ...late, last_commit_id: 'x' }
    expect((await developer.put(file('README.md'), current)).status).toBe(200)
  })

  it('refuse what is missing', async () => {
    const { project, file } = await sample()
    const { developer } = project
    expect((await developer.post(file('x'), { branch: 'main', content: '' })).body.error).toBe(
      'commit_message is missing',
    )
    expect((await developer.put(file('README.md'), change)).body.error).toBe('content is missing')
    expect((await developer.put(file('x'), { ...change, content: '' })).status).toBe(400)
    expect((await developer.post(file('x'), { ...change, branch: 'y', content: '' })).status).toBe(400)
    expect((await developer.post(file('../x'), { ...change, content: '' })).status).toBe(400)
  })
})

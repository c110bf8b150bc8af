import { describe, expect, it } from 'vitest'
import type { Answer } from '#test/client.ts'
import { commits, giveSample, importInto } from '#test/repositories.ts'
import { w } from '#test/world.ts'

const names = (answer: Answer): string[] => answer.body.map(({ name }: { name: string }) => name)

async function sample() {
  const project = await w.project()
  const { row } = await giveSample(project)
  return { project, path: `/projects/${project.id}/repository/tags`, tip: row.last_commit_sha }
}

/** Three tags, the first of which is annotated. */
async function tagged() {
  const project = await w.project()
  const repository = await importInto(
    project,
    Buffer.concat([
      commits({ at: '1000 +0000', files: { a: '1' } }),
      Buffer.from('reset refs/tags/v1.10\nfrom refs/heads/main\n\n'),
      commits({ at: '3000 +0000', files: { a: '2' } }),
      Buffer.from('reset refs/tags/v1.9\nfrom refs/heads/main\n\n'),
      Buffer.from(
        'tag old\nfrom refs/heads/main\ntagger Ada <ada@example.com> 2000 +0200\ndata 9\nThe first\n',
      ),
    ]),
  )
  return { project, repository, path: `/projects/${project.id}/repository/tags` }
}

describe('GET /projects/:id/repository/tags', () => {
  it('lists annotated and light tags, the latest first, with every field', async () => {
    const { project, path } = await tagged()
    const { developer } = project
    const answer = await developer.get(path)
    expect(names(answer)).toEqual(['v1.9', 'old', 'v1.10'])
    const [light, annotated] = answer.body
    expect(light).toEqual({
      name: 'v1.9',
      message: null,
      target: light.commit.id,
      commit: expect.objectContaining({ created_at: '1970-01-01T00:50:00.000+00:00' }),
      release: null,
      protected: false,
      created_at: null,
    })
    expect(annotated).toMatchObject({
      message: 'The first',
      commit: light.commit,
      created_at: '1970-01-01T02:33:20.000+02:00',
    })
    expect(annotated.target).not.toBe(annotated.commit.id)
    expect(answer.headers.get('x-total')).toBe('3')
  })

  it('sorts by name, version and date, searches, and has pages', async () => {
    const { project, path } = await tagged()
    const list = async (query: string) => names(await project.developer.get(`${path}?${query}`))
    expect(await list('order_by=name&sort=asc')).toEqual(['old', 'v1.10', 'v1.9'])
    expect(await list('order_by=version')).toEqual(['v1.10', 'v1.9', 'old'])
    expect(await list('order_by=version&sort=asc')).toEqual(['old', 'v1.9', 'v1.10'])
    expect(await list('order_by=updated&sort=asc')).toEqual(['v1.10', 'old', 'v1.9'])
    expect(await list('search=%5Ev1')).toEqual(['v1.9', 'v1.10'])
    expect(await list('search=9%24')).toEqual(['v1.9'])
    expect(await list('per_page=2&page=2')).toEqual(['v1.10'])
    expect(await list('pagination=keyset&per_page=2&page_token=v1.9')).toEqual(['old', 'v1.10'])
    const empty = await w.project()
    expect((await empty.developer.get(`/projects/${empty.id}/repository/tags`)).body).toEqual([])
  })
})

describe('POST and DELETE of tags', () => {
  it.each(['v1.0', 'rel/1', '100%', 'ü', 'x.json'])('make, find and delete %s', async (name) => {
    const { project, path, tip } = await sample()
    const { developer } = project
    const made = await developer.post(path, { tag_name: name, ref: 'main' })
    expect([made.status, made.body]).toMatchObject([201, { name, message: null, target: tip }])
    const url = `${path}/${encodeURIComponent(name)}`
    expect((await developer.get(url)).body).toEqual(made.body)
    expect((await developer.get(`${url}/signature`)).body).toEqual({ message: '404 Signature Not Found' })
    const shown = await developer.get(
      `/projects/${project.id}/repository/commits/${encodeURIComponent(name)}`,
    )
    expect(shown.body.id).toBe(tip)
    expect((await developer.delete(url)).status).toBe(204)
    expect((await developer.get(url)).body).toEqual({ message: '404 Tag Not Found' })
    expect((await developer.delete(url)).status).toBe(404)
  })

  it('make an annotated tag with a message', async () => {
    const { project, path, tip } = await sample()
    w.clock.hold('2031-02-03T04:05:06.789Z')
    const { body } = await project.developer.post(path, {
      tag_name: 'v1',
      ref: 'main',
      message: 'First\n\nYes',
    })
    expect(body).toMatchObject({
      message: 'First\n\nYes',
      commit: { id: tip },
      created_at: '2031-02-03T04:05:06.000+00:00',
    })
    expect(body.target).not.toBe(tip)
    const again = await project.developer.post(path, { tag_name: 'v2', ref: 'v1' })
    expect(again.body.target).toBe(tip)
  })

  it('refuse names that are there or bad, and targets that are not', async () => {
    const { project, path } = await sample()
    const { developer } = project
    const make = async (json: object) => {
      const { status, body } = await developer.post(path, { tag_name: 'v1', ref: 'main', ...json })
      return [status, body.message]
    }
    expect((await make({}))[0]).toBe(201)
    expect(await make({})).toEqual([400, 'Tag v1 already exists'])
    expect(await make({ tag_name: 'v2', ref: 'x' })).toEqual([400, 'Target x is invalid'])
    expect((await make({ tag_name: 'a b' }))[0]).toBe(400)
    expect((await make({ tag_name: '-v' }))[0]).toBe(400)
    const answers = await Promise.all([1, 2, 3].map(() => make({ tag_name: 'once' })))
    expect(answers.map(([status]) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400])
  })

  it('respect protected tags', async () => {
    const { project, path } = await sample()
    const { developer, maintainer } = project
    await maintainer.post(`/projects/${project.id}/protected_tags`, { name: 'v*' })
    const refused = await developer.post(path, { tag_name: 'v1', ref: 'main' })
    expect([refused.status, refused.body.message]).toEqual([
      403,
      '403 Forbidden - you may not create the protected tag v1',
    ])
    const made = await maintainer.post(path, { tag_name: 'v1', ref: 'main' })
    expect([made.status, made.body.protected]).toEqual([201, true])
    expect((await developer.delete(`${path}/v1`)).status).toBe(403)
    expect((await maintainer.delete(`${path}/v1`)).status).toBe(204)
  })

  it('tell the kind of a signature', async () => {
    const { project, path } = await sample()
    const message = 'x\n-----BEGIN PGP SIGNATURE-----\nabc\n-----END PGP SIGNATURE-----'
    const made = await project.developer.post(path, { tag_name: 'by-ada', ref: 'main', message })
    expect(made.status).toBe(201)
    expect((await project.developer.get(`${path}/by-ada/signature`)).body).toEqual({
      signature_type: 'PGP',
      verification_status: 'unverified',
      x509_certificate: null,
    })
  })
})

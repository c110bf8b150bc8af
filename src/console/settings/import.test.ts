import { expect, test } from 'vitest'
import { exportOf } from '#test/archives.ts'
import { until } from '#test/until.ts'
import { csrfTokenIn, signedIn, type Visitor } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { HERE } from '../test-support.ts'

const PAGE = '/import/gitlab_project/new'

/** Sends the form of the page with an archive, as a browser does. */
async function imports(
  visitor: Visitor,
  archive: Blob | undefined,
  fields: Readonly<Record<string, string>>,
) {
  const { text } = await visitor.get(PAGE, HERE)
  expect(text).toContain('enctype="multipart/form-data"')
  const form = new FormData()
  const all = { authenticity_token: csrfTokenIn(text), do: 'import', name: '', namespace_id: '', ...fields }
  for (const [name, value] of Object.entries(all)) form.set(name, value)
  if (archive !== undefined) form.set('file', archive, 'project.tar.gz')
  const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const answer = await fetch(`${w.url}${PAGE}`, {
    method: 'POST',
    headers: { ...HERE, cookie },
    body: form,
    redirect: 'manual',
  })
  return { status: answer.status, to: answer.headers.get('location') ?? '', text: await answer.text() }
}

test('a project is made of an archive, in a group, and a page says how far it is', async () => {
  const project = await w.project()
  await project.owner.post(`/projects/${project.id}/issues`, { title: 'Kept' })
  const archive = new Blob([await exportOf(project.owner, project.id)])
  const group = await w.group({ visibility: 'public' })
  const { visitor, ...somebody } = await signedIn(w)
  await w.member(group.id, somebody, 40)
  expect((await visitor.get('/projects/new', HERE)).text).toContain(`href="${PAGE}"`)
  const path = unique('taken')
  const made = await imports(visitor, archive, { name: 'Taken over', path, namespace_id: String(group.id) })
  const page = `/${group.fullPath}/${path}/-/import`
  expect([made.status, made.to]).toEqual([303, page])
  const shown = await until(async () => {
    const { text } = await visitor.get(page, HERE)
    expect(text).toContain('Everything is there.')
    return text
  })
  expect(shown).toContain('From an archive.')
  expect(shown).toContain('Taken over')
  const { body } = await somebody.user.get(
    `/projects/${encodeURIComponent(`${group.fullPath}/${path}`)}/issues`,
  )
  expect(body).toMatchObject([{ title: 'Kept' }])
})

test('what is no archive is refused, with what was typed, and a broken one is told of', async () => {
  const { visitor } = await signedIn(w)
  const path = unique('broken')
  const none = await imports(visitor, new Blob(['no archive']), { name: 'Some', path })
  expect([none.status, none.text.includes(`value="${path}"`)]).toEqual([400, true])
  expect(none.text).toContain('class="problem"')
  const missing = await imports(visitor, undefined, { path })
  expect([missing.status, missing.text.includes('class="problem"')]).toEqual([400, true])
  const large = await imports(visitor, new Blob([new Uint8Array(17 * 1024 * 1024)]), { path })
  expect(large.status).toBe(413)
})

test('strangers are asked to sign in; of what was not imported, the page says so', async () => {
  const project = await w.project({ visibility: 'public' })
  const { visitor } = await signedIn(w)
  const at = `/${project.fullPath}/-/import`
  expect((await visitor.get(at, HERE)).text).toContain('The project was not imported.')
  visitor.cookies.clear()
  expect((await visitor.get(PAGE, HERE)).status).toBe(303)
  const hidden = await w.project()
  expect((await visitor.get(`/${hidden.fullPath}/-/import`, HERE)).status).toBe(
    (await visitor.get(`/${unique('none')}/none/-/import`, HERE)).status,
  )
})

import { expect, test } from 'vitest'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { HERE, submit } from '../test-support.ts'

test('maintainers of a group say which packages may be published again, for one format at a time', async () => {
  const group = await w.group()
  const { visitor, ...maintainer } = await signedIn(w)
  await w.member(group.id, maintainer, 40)
  const page = `/groups/${group.fullPath}/-/settings/packages_and_registries`
  expect((await visitor.get(`/groups/${group.fullPath}/-/packages`, HERE)).text).toContain(`href="${page}"`)
  const saved = async () => (await group.maintainer.get(`/groups/${group.id}/packages/settings`)).body
  await submit(visitor, page, 'save-duplicates/maven', {
    maven_duplicates_allowed: 'false',
    maven_duplicate_exception_regex: '.*-SNAPSHOT',
  })
  await submit(visitor, page, 'save-duplicates/generic', { generic_duplicate_exception_regex: 'a<b>' })
  expect(await saved()).toEqual({
    maven_duplicates_allowed: false,
    maven_duplicate_exception_regex: '.*-SNAPSHOT',
    generic_duplicates_allowed: true,
    generic_duplicate_exception_regex: 'a<b>',
  })
  expect((await visitor.get(page, HERE)).text).toContain('value="a&lt;b&gt;"')
  const wrong = await submit(visitor, page, 'save-duplicates/maven', { maven_duplicate_exception_regex: '(' })
  expect(wrong.status).toBe(400)
  expect(wrong.text).toContain('id="save-duplicates-maven-maven_duplicate_exception_regex-problem"')
})

test('others have no such page', async () => {
  const group = await w.group({ visibility: 'public' })
  const { visitor, ...developer } = await signedIn(w)
  await w.member(group.id, developer, 30)
  const page = `/groups/${group.fullPath}/-/settings/packages_and_registries`
  expect((await visitor.get(page, HERE)).status).toBe(404)
  expect((await visitor.get(`/groups/${group.fullPath}/-/packages`, HERE)).text).not.toContain(page)
  visitor.cookies.clear()
  expect((await visitor.get(page, HERE)).status).toBe(303)
})
